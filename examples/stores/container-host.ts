// A container as the host: everything goes through one command that starts a program in it, such as
// ["docker", "exec", "-i", "my-container"]. The container needs bash and the usual small programs.
import { spawn } from "node:child_process";
import { type FileEntry, fail, type RunOutcome, type RunRequest } from "@haft/core";
import { createFiles, type FileBasics, type HostPorts } from "@haft/core/host";

type Started = { readonly code: number | null; readonly stdout: Buffer; readonly stderr: string };

export function containerHost(enter: readonly string[]): HostPorts {
  /** Runs a script in the container. Its arguments are never part of the script, so no path can become code. */
  const run = (script: string, args: readonly string[], input?: Uint8Array): Promise<Started> =>
    new Promise((resolve, reject) => {
      const [program = "", ...words] = [...enter, "bash", "-c", script, "haft", ...args];
      const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
      const out: Buffer[] = [];
      let stderr = "";
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => {
        stderr += chunk;
      });
      child.stdin.on("error", () => {});
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout: Buffer.concat(out), stderr }));
      child.stdin.end(input ?? "");
    });
  const ok = async (what: string, ...given: Parameters<typeof run>): Promise<Buffer> => {
    const { code, stdout, stderr } = await run(...given);
    return code === 0 ? stdout : fail("execution_failed", `${what} failed in the container: ${stderr.trim()}`);
  };
  return { files: createFiles(basicsOf(ok)), processes: { run: (request) => runScript(enter, request) } };
}

type Ok = (what: string, script: string, args: readonly string[], input?: Uint8Array) => Promise<Buffer>;

const KINDS: Readonly<Record<string, FileEntry["kind"]>> = { f: "file", d: "directory", l: "symlink" };

function basicsOf(ok: Ok): FileBasics {
  return {
    async locate(path) {
      const script =
        'realpath -mz -- "$1"; test -f "$1" && echo f || { test -d "$1" && echo d || { test -e "$1" && echo o; }; }; true';
      const [real = path, kind = ""] = String(await ok(`locate ${path}`, script, [path])).split("\0");
      const known = { f: "file", d: "directory", o: "other" } as const;
      return { path: real, kind: known[kind.trim() as keyof typeof known] ?? "missing" };
    },
    async stat(path) {
      const script = '[ -e "$1" ] || [ -L "$1" ] || exit 0; stat -c "%F|%s|%Y|%a" -- "$1"';
      const [type = "", size, seconds, mode = "0"] = String(await ok(`stat ${path}`, script, [path]))
        .trim()
        .split("|");
      if (type === "") return undefined;
      const kind = type.startsWith("regular")
        ? "file"
        : type === "directory"
          ? type
          : type === "symbolic link"
            ? "symlink"
            : "other";
      return { kind, size: Number(size), modifiedMs: Number(seconds) * 1000, mode: Number.parseInt(mode, 8) };
    },
    async read(path) {
      return new Uint8Array(await ok(`read ${path}`, 'cat -- "$1"', [path]));
    },
    async list(path) {
      const found = String(await ok(`list ${path}`, 'find "$1" -mindepth 1 -maxdepth 1 -printf "%y|%s|%f\\0"', [path]));
      return found
        .split("\0")
        .filter((line) => line !== "")
        .map((line) => {
          const [type = "", size, ...name] = line.split("|");
          return { path: name.join("|"), kind: KINDS[type] ?? "other", size: Number(size) };
        });
    },
    async write(path, bytes) {
      const script = `set -e; mkdir -p -- "$(dirname -- "$1")"; new=$(mktemp -- "$1.XXXXXX"); trap 'rm -f -- "$new"' EXIT
        cat > "$new"; if [ -e "$1" ]; then chmod --reference="$1" -- "$new"; else chmod 644 -- "$new"; fi; mv -fT -- "$new" "$1"`;
      await ok(`write ${path}`, script, [path], bytes);
    },
    async remove(path) {
      await ok(`remove ${path}`, 'rm -- "$1"', [path]);
    },
  };
}

/** The script is a session of its own in the container, and `kill` ends all of it. */
function runScript(enter: readonly string[], request: RunRequest): Promise<RunOutcome> {
  const { command, cwd, env = {}, signal, timeoutMs, onOutput } = request;
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const names = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const wrapped = 'cd -- "$1" || exit 1; shift; exec env -- "$@"';
    const [program = "", ...words] = [...enter, "bash", "-c", wrapped, "haft", cwd, ...names, "bash", "-c", command];
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    const texts = { stdout: "", stderr: "", output: "" };
    let ended: "timedOut" | "cancelled" | undefined;
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        texts[name] += chunk;
        texts.output += chunk;
        onOutput?.(chunk);
      });
    const end = (why: typeof ended): void => {
      ended ??= why;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, "timedOut");
    const onAbort = () => end("cancelled");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve({
        ...texts,
        exitCode,
        timedOut: ended === "timedOut",
        cancelled: ended === "cancelled",
        durationMs: Date.now() - startedAt,
        left: false,
      });
    });
  });
}
