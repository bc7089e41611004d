import type { Machine } from "@haft/core/executor";
import type { Policy } from "@haft/core/policy";

/** The parts of a machine that reveal servers by name, even before they have brought tools. */
type Telling = Pick<Machine, "deferral" | "whyMissing">;

/**
 * The same for an agent under a policy. If the policy forbids every tool of a server, the agent does not learn that the
 * server is still connecting, nor why it is missing.
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

/** Whether the rules forbid every tool of a server, whatever the tools' names. */
const forbidsServer = (policy: Policy, server: string): boolean =>
  policy.blanketDeny({ name: `mcp__${server}__*`, origin: "mcp", server, remoteName: "*" }) !== undefined;
