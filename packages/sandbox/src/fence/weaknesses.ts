/** The limits of the tier `bwrap`, for `haft doctor` and for people who decide. */
export const BWRAP_WEAKNESSES: readonly string[] = [
  "A command can create a protected file that does not exist yet. It is moved to quarantine after the command, and reported. Until then it exists.",
  "A protected name that is a symbolic link can be replaced: only its target is protected. The replacement is noticed after the command.",
  "Protected and private files inside node_modules, __pycache__, .venv and .pnpm-store are not found.",
  "A git repository in a folder that is not called .git (a bare one, for example) is not protected.",
  "Hard links: a protected file can be written through its second name. A private file can be read through it if that name is outside every workspace, or the file is in a subfolder of a private folder.",
  "Commands not known to be read-only, or to write in known places only, can read everything outside the workspace except private places and those that rules close.",
  "Deny rules outside the workspace hold for names up to two levels below the home folder.",
  "A command can connect to sockets in the workspace, and to sockets opened elsewhere while it runs.",
  "Disk space is not limited. Memory is limited only if set in the settings; the number of processes only if Haft does not run as root.",
  "Files of other users appear to belong to nobody.",
  "Without a view of the workspace, commands change the real files immediately.",
  "Moving a file into or out of a protected folder fails with EXDEV: copy it instead.",
  "A command can read a private file that is created or replaced while it runs.",
  "Background processes of a command end with it.",
  "If another program swaps a path between planning and start, the swapped path is mounted.",
];

/** Added when the caller is root. */
export const ROOT_WEAKNESS =
  "Haft runs as root: the program has another user id, but can read every file that root can, except known secrets. Run Haft as an ordinary user.";

/** Added on an architecture whose system call numbers Haft does not know. */
export const FILTER_WEAKNESS =
  "System calls are not filtered on this architecture: the whole kernel interface is open, including the keys of the session's keyring.";

/** Added when hosts are reached through the proxy. */
export const PROXY_WEAKNESS =
  "An allowed host can receive data: tunnels to it are not inspected. Programs that do not support proxies reach nothing.";

/** Added when the network is shared. */
export const NETWORK_WEAKNESS =
  "The command shares the machine's network: it can reach any host, services on localhost and abstract sockets.";

/** Added when the workspace has more folders than the search covers. */
export const SIZE_WEAKNESS =
  "The workspace has too many folders to search them all: protected and private files deep in it may be missed.";
