/** @module Other machines as hosts: over SSH, in a container, behind any command. */
export { type ContainerOptions, openCommandHost, openContainerHost } from "./container.ts";
export type { RemoteHost, RemoteJournal } from "./remote-host.ts";
export { openSshHost, parseSshAddress, type SshAddress, type SshOptions } from "./ssh.ts";
