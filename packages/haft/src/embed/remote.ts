/** @module Other machines as hosts of a session: over SSH, in a container, behind any command. */
export {
  type ContainerOptions,
  openCommandHost,
  openContainerHost,
  openSshHost,
  type RemoteHost,
  type SshOptions,
} from "@haft/remote";
