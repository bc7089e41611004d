import { access, constants, realpath } from "node:fs/promises";
import { isWithin } from "@haft/core/tool";

/** The path of the proxy's socket inside. */
export const PROXY_SOCKET = "/run/haft-proxy";
/** Only the command itself uses the network inside, so any port is free. */
const PORT = 3128;
/** The name of a relay and of the processes it starts for connections, at most 15 characters: `comm` in proc(5). */
export const RELAY_NAME = "haft relay";

/**
 * Perl code that continues in a child with only the named handle open. It defines `copy`, which copies everything from one
 * handle to another, and then the end. It needs `my $f`.
 */
export const perlStaying = (handle: string): string => `
defined(my $child = fork) or die "haft relay: $!\\n";
exit 0 if $child;
$0 = "${RELAY_NAME}";
open STDIN, "<", "/dev/null"; open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null";
for my $fd (3 .. 9) { next if $fd == fileno ${handle}; open($f, "<&=", $fd) and close $f }
$SIG{CHLD} = "IGNORE";
sub copy {
  my ($from, $to) = @_;
  while (sysread($from, my $data, 65536)) {
    my $at = 0;
    while ($at < length $data) {
      my $n = syswrite($to, $data, length($data) - $at, $at);
      defined $n or exit 0;
      $at += $n;
    }
  }
  shutdown($to, 1);
  exit 0;
}
`;

/**
 * A program that listens on a port inside and forwards every connection to the proxy's socket. It exits once it listens. A
 * child of it stays as long as any process of the command.
 */
const PERL = `
my ($port, $path) = @ARGV;
my ($l, $u, $f);
socket($l, 2, 1, 0) && setsockopt($l, 1, 2, pack("l", 1)) or die "haft relay: $!\\n";
bind($l, pack("S n C4 x8", 2, $port, 127, 0, 0, 1)) && listen($l, 256) or die "haft relay: $!\\n";
${perlStaying("$l")}
while (1) {
  accept(my $c, $l) or next;
  if (!fork) {
    close $l;
    socket($u, 1, 1, 0) && connect($u, pack("S a108", 1, $path)) or exit 1;
    fork ? copy($c, $u) : copy($u, $c);
  }
  close $c;
}
`;

const NODE = `
const [port, path, isServing] = process.argv.slice(1);
const net = require("net");
if (isServing) {
  net.createServer({ allowHalfOpen: true }, (c) => {
    const u = net.connect({ path, allowHalfOpen: true });
    for (const [a, b] of [[c, u], [u, c]]) a.pipe(b), a.on("error", () => b.destroy());
  }).listen(Number(port), "127.0.0.1", () => process.send("ready"));
  process.on("disconnect", () => {});
} else {
  const args = [...process.execArgv, port, path, "yes"];
  const child = require("child_process").spawn(process.execPath, args, { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  child.on("exit", () => process.exit(1));
  child.on("message", () => process.exit(0));
}
`;

/** The command line of the relay inside: perl if the machine has it, else Node, which starts more slowly. */
export async function relayArgv(workspaces: readonly string[]): Promise<readonly string[]> {
  const perl = await findPerl(workspaces);
  const program = perl === undefined ? [process.execPath, "-e", NODE] : [perl, "-e", PERL];
  return [...program, `${PORT}`, PROXY_SOCKET];
}

/** A perl of the machine, never one of a workspace. */
export async function findPerl(workspaces: readonly string[]): Promise<string | undefined> {
  for (const name of ["/usr/bin/perl", "/bin/perl", "/usr/local/bin/perl"]) {
    const real = await realpath(name).catch(() => undefined);
    if (real === undefined || workspaces.some((root) => isWithin(root, real))) continue;
    if (
      await access(real, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return name;
  }
  return undefined;
}

/** Variables that point programs to the proxy. `localhost` is the sandbox itself, unless the machine's own was granted. */
export function proxyVariables(isLocalGranted: boolean): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${PORT}`;
  const none = isLocalGranted ? "" : "localhost,127.0.0.1,::1";
  const both = (name: string, value: string) => ({ [name]: value, [name.toLowerCase()]: value });
  return {
    ...both("HTTP_PROXY", proxy),
    ...both("HTTPS_PROXY", proxy),
    ...both("ALL_PROXY", proxy),
    ...both("NO_PROXY", none),
    NODE_USE_ENV_PROXY: "1",
  };
}
