/** Limits of the tier `srt` that the tier `bwrap` does not have. */
export const SRT_WEAKNESSES: readonly string[] = [
  "The kernel's files in /proc are not hidden, and the filter for system calls refuses little more than sockets of the machine.",
  "Inter-process communication of the machine (System V, message queues) is shared.",
  "The runtime lets every program write to the logs of npm, and sets variables of its own (proxies, JAVA_TOOL_OPTIONS).",
  "The text of a command can be read by everyone on the machine while it runs, in the arguments of its programs.",
  "Address ranges and the whole network cannot be granted; the runtime's proxy decides about hosts, not Haft's.",
  "A program that is asked to end may be ended before it has put its work down.",
  "Private folders look empty instead of closed. ps and similar programs do not see the processes of the machine.",
  "It takes 30 ms and more for each command: none stands ready.",
];

/** Tested: the runtime leaves root's own files of /proc writable, through which a program can configure the machine's kernel. */
export const NOT_FOR_ROOT =
  "The tier srt does not hold what root starts: run Haft as an ordinary user, or use the tier bwrap.";
