import { FORBIDDEN_COMMANDS, STARTERS } from "@haft/core/policy";
import type { Effect } from "./wanted.ts";

/** Private files that people have in projects. Haft's own list is longer: it also names the files of many programs. */
const PRIVATE_FILES = [
  ...[".env", ".env.*", "*.key", "*.pem", "*.p12", "*.pfx", "*.jks", "*.kdbx", "id_rsa", "id_ecdsa", "id_ed25519"],
  ...[".ssh/**", ".aws/**", ".gnupg/**", ".kube/**", ".netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass"],
];

/** Places about whose changes Haft asks in every mode. */
const PROTECTED_FILES = STARTERS.filter(({ guard }) => guard === "held").flatMap(({ folders = [], files = [] }) => [
  ...folders.map((folder) => `${folder}/**`),
  ...files,
]);

/** Haft's built-in guards as effects, except those that a rule lifts by name. */
export function baseline(allowed: readonly Effect[]): Effect[] {
  const lifted = new Set(
    allowed.flatMap(({ matter }) => (matter.kind === "path" ? [`${matter.access} ${matter.path}`] : [])),
  );
  const paths = (access: "read" | "write", list: readonly string[]): Effect[] =>
    list
      .filter((path) => !lifted.has(`${access} ${path}`))
      .map((path) => ({ rule: "", behavior: "ask", matter: { kind: "path", access, path } }));
  return [...paths("read", PRIVATE_FILES), ...paths("write", PROTECTED_FILES), ...forbidden()];
}

/** Commands of Unix shells alone. The names of PowerShell begin with a capital. */
const forbidden = (): Effect[] =>
  FORBIDDEN_COMMANDS.filter((command) => /^[a-z]/.test(command)).map((command) => ({
    rule: "",
    behavior: "deny",
    matter: { kind: "command", pattern: `${command} *` },
  }));

/** Whether an effect is a guard of Haft itself, not a rule of a person. */
export const isBuiltIn = (effect: Effect): boolean => effect.rule === "";
