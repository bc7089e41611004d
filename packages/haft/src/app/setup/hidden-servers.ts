import type { Machine } from "@haft/core/executor";
import type { Policy } from "@haft/core/policy";

/** What of a machine tells of servers by their names, whether they have brought tools or not. */
type Telling = Pick<Machine, "deferral" | "whyMissing">;

/**
 * The same for an agent under a policy: of a server of which it forbids every tool the agent does not hear either that it is
 * still to come, or why it is not there.
 */
export function hidingServers({ deferral, whyMissing }: Telling, policy: () => Policy): Telling {
  const isHidden = (server: string): boolean => forbidsServer(policy(), server);
  const { arrivals } = deferral ?? {};
  return {
    ...(deferral && arrivals
      ? {
          deferral: {
            ...deferral,
            arrivals: {
              ...arrivals,
              connecting: () => arrivals.connecting().filter((name) => !isHidden(name)),
              failed: () => arrivals.failed().filter(({ name }) => !isHidden(name)),
            },
          },
        }
      : {}),
    ...(whyMissing
      ? {
          whyMissing(tool) {
            const why = whyMissing(tool);
            const server = why?.details?.server;
            return typeof server === "string" && isHidden(server) ? undefined : why;
          },
        }
      : {}),
  };
}

/** Whether the rules forbid every tool of a server, whatever it is called. */
const forbidsServer = (policy: Policy, server: string): boolean =>
  policy.blanketDeny({ name: `mcp__${server}__*`, origin: "mcp", server, remoteName: "*" }) !== undefined;
