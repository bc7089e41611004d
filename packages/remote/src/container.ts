import { fail, type ToolError } from "@haft/core/tool";
import { openRemoteHost, type RemoteHost } from "./remote-host.ts";

/** How to reach a container. */
export interface ContainerOptions {
  /** The folder in it. Default: the home folder of its user. */
  readonly folder?: string;
  /** Node in it: a name or a path. Default `node`. */
  readonly node?: string;
  /** The user in it. Default: that of the container. */
  readonly user?: string;
  /** The program: `docker`, `podman` or another with the same `exec`. Default `docker`. */
  readonly program?: string;
}

/**
 * Opens a folder of a running container, with `docker exec`.
 *
 * @throws HaftError `tool_unavailable` when the container does not run or has no usable Node.
 */
export async function openContainerHost(container: string, options: ContainerOptions = {}): Promise<RemoteHost> {
  const { folder = "~", node = "node", user, program = "docker" } = options;
  // Another word could be an option of the program.
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(container))
    fail("invalid_input", `"${container}" cannot be the name of a container.`, "Name one that `docker ps` shows.");
  const as = user === undefined ? [] : ["--user", user];
  const way = {
    name: `${program}://${container}`,
    node,
    argv: (words: readonly string[]) => [program, "exec", "--interactive", ...as, container, ...words],
    explain: (said: string) => containerFault(program, container, said),
  };
  return openRemoteHost(way, folder);
}

/**
 * Opens a folder behind any command that starts a program elsewhere and passes stdin and stdout on: `kubectl exec -i POD --`,
 * `bwrap …`, `nsenter …`.
 */
export async function openCommandHost(
  command: readonly string[],
  options: Omit<ContainerOptions, "program" | "user"> = {},
): Promise<RemoteHost> {
  const { folder = "~", node = "node" } = options;
  if (command.length === 0)
    fail("invalid_input", "The command has no words.", "Give a command that starts programs there.");
  return openRemoteHost({ name: command[0]!, node, argv: (words) => [...command, ...words] }, folder);
}

function containerFault(program: string, container: string, said: string): ToolError | undefined {
  const error = (message: string, hint: string): ToolError => ({ code: "tool_unavailable", message, hint });
  if (/Cannot connect to the Docker daemon|daemon running/i.test(said))
    return error(`The daemon of ${program} does not run, or this user may not use it.`, "Start it, or join its group.");
  if (/No such container/i.test(said))
    return error(`There is no container "${container}".`, `Name one that \`${program} ps\` shows.`);
  if (/is not running/i.test(said))
    return error(`The container "${container}" does not run.`, `Start it with \`${program} start ${container}\`.`);
  return undefined;
}
