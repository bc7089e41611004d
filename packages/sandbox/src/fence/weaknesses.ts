/** The limits of the tier `bwrap`, for `haft doctor` and for people who decide. */
export const BWRAP_WEAKNESSES: readonly string[] = [
  "A protected name that does not exist yet can be made. After the command it is taken away into quarantine and said so; until then it is there.",
  "A protected name that is a symbolic link can be replaced; only what it points at is held. The replacement is noticed after the command.",
  "Folders named node_modules, __pycache__, .venv and .pnpm-store are not searched for protected or private files.",
  "A bare git repository or a folder that acts as one under another name than .git is not held.",
  "A protected file that has a second name (hard link) can be written through that name; a private one can be read through it where the name lies in no workspace, or the file deeper in a private folder than right in it.",
  "Everything else outside the workspace can be read by what is not known to only read or to write in known places: only private places and the rules' are hidden from it.",
  "Deny rules for places outside the workspace are held for names up to two levels below the home folder.",
  "A socket that somebody opens outside while the command runs can be connected to; sockets in the workspace always can.",
  "Disk space is not limited, memory only where the settings say so, and the number of processes not where Haft runs as root.",
  "Files of other users show nobody as their owner.",
  "Without a view of the workspace, changes are made in the real one at once.",
  "Files may be moved over folder borders only by copying where a folder is held in place (EXDEV).",
  "A private file that is made, or put in the place of another, while a command runs is open to it from then on.",
  "Processes that a command leaves running end with it.",
  "A path that somebody else swaps between planning and starting is mounted as it is then.",
];

/** Added when the caller is root. */
export const ROOT_WEAKNESS =
  "Haft runs as root: inside, the program has another user id but keeps root's rights on files that can be read. Only known secrets are hidden. Run Haft as an ordinary user.";

/** Added on an architecture whose system call numbers Haft does not know. */
export const FILTER_WEAKNESS =
  "There is no filter for system calls on this kind of machine: the kernel's whole surface is open, and keys of the session's keyring can be used.";

/** Added when hosts are reached through the proxy. */
export const PROXY_WEAKNESS =
  "An allowed host is an allowed way out: nobody sees what goes through a tunnel to it. Programs that know no proxy reach nothing.";

/** Added when the network is shared. */
export const NETWORK_WEAKNESS =
  "The network is that of the machine: any host, services on localhost and abstract sockets can be reached.";

/** Added when the workspace has more folders than the search covers. */
export const SIZE_WEAKNESS =
  "The workspace has more folders than are searched: protected and private files deep in it may not be held.";
