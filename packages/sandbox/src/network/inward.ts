import { findPerl, perlStaying } from "./relay.ts";

/** The path of the publisher's socket inside. */
export const PUBLISHER_SOCKET = "/run/haft-ports";

/**
 * A program that waits at the publisher's socket. On two bytes with a port, it connects to that port on the loopback inside,
 * copies data both ways, and waits with another connection. It exits once it is ready; a child of it stays.
 */
const PERL = `
my ($path) = @ARGV;
my ($u, $c, $f);
sub way { socket($u, 1, 1, 0) && connect($u, pack("S a108", 1, $path)) }
way() or die "haft relay: $!\\n";
${perlStaying("$u")}
while (1) {
  my $head = "";
  while (length $head < 2) { sysread($u, $head, 2 - length $head, length $head) or exit 0 }
  if (!fork) {
    my $port = unpack("n", $head);
    if (!(socket($c, 2, 1, 0) && connect($c, pack("S n C4 x8", 2, $port, 127, 0, 0, 1)))) {
      socket($c, 10, 1, 0) && connect($c, pack("S n N a16 N", 10, $port, 0, "\\0" x 15 . "\\1", 0)) or exit 1;
    }
    fork ? copy($c, $u) : copy($u, $c);
  }
  close $u;
  way() or exit 0;
}
`;

const NODE = `
const [path, isServing] = process.argv.slice(1);
const net = require("net");
const wait = (ready) => {
  const way = net.connect({ path, allowHalfOpen: true }, ready);
  const gone = () => process.exit(0);
  way.on("error", gone).on("end", gone);
  const read = () => {
    const head = way.read(2);
    if (!head) return;
    way.off("readable", read).off("error", gone).off("end", gone);
    wait();
    const inner = net.connect({ port: head.readUInt16BE(), host: "localhost", allowHalfOpen: true });
    for (const [a, b] of [[way, inner], [inner, way]]) a.pipe(b), a.on("error", () => b.destroy());
  };
  way.on("readable", read);
};
if (isServing) {
  wait(() => process.send("ready"));
  process.on("disconnect", () => {});
} else {
  const args = [...process.execArgv, path, "yes"];
  const child = require("child_process").spawn(process.execPath, args, { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  child.on("exit", () => process.exit(1));
  child.on("message", () => process.exit(0));
}
`;

/** The command line of the relay inside: perl if the machine has it, else Node, which starts more slowly. */
export async function inwardRelayArgv(workspaces: readonly string[]): Promise<readonly string[]> {
  const perl = await findPerl(workspaces);
  return [...(perl === undefined ? [process.execPath, "-e", NODE] : [perl, "-e", PERL]), PUBLISHER_SOCKET];
}
