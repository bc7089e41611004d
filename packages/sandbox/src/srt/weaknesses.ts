/** Limits of the tier `srt` that the tier `bwrap` does not have. */
export const SRT_WEAKNESSES: readonly string[] = [
  "Kernel files in /proc are not hidden, and the system call filter blocks little more than the machine's sockets.",
  "Inter-process communication (System V, message queues) is shared with the machine.",
  "The runtime lets every program write npm's logs, and sets its own variables (proxies, JAVA_TOOL_OPTIONS).",
  "Everyone on the machine can read the text of a running command, in its programs' arguments.",
  "Address ranges and the whole network cannot be granted. The runtime's proxy decides about hosts, not Haft's.",
  "A program that is stopped may be killed before it has saved its work.",
  "Private folders look empty instead of unreadable. ps and similar programs do not see the machine's processes.",
  "Each command takes 30 ms longer or more: no sandbox is prepared ahead.",
];

/** Tested: the runtime leaves root's own files of /proc writable, through which a program can configure the machine's kernel. */
export const NOT_FOR_ROOT =
  "The tier srt cannot confine programs of root: run Haft as an ordinary user, or use the tier bwrap.";
