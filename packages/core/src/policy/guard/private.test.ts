import { expect, it } from "vitest";
import { isPrivatePath } from "./private.ts";

it.each([
  ...[".env", ".ENV", ".env.local", "a/.env", "id_rsa", "server.pem", ".ssh/config", ".AWS/x"],
  // Names that editors leave beside it, and names that Windows opens as it.
  ...[".env~", ".env.~", "#.env#", ".#.env", ".env.", ".env ", "id_ed25519~", "server.key~", "#server.pem#", ".netrc~"],
])("F10 %j is private by its name", (name) => {
  expect(isPrivatePath(`/w/${name}`)).toBe(true);
});

it.each([
  ...[".env.example", ".env.sample~", "cert.pem", "ca.pem~", "env", "environment", "~", "#", ".#", "notes~", "a.", ""],
])("F10 %j is not", (name) => {
  expect(isPrivatePath(`/w/${name}`)).toBe(false);
});

const COPY = ".local/state/haft/workspaces/w-1/journal/annex/frozen/agents/m1-2/work/w";
const NESTED = COPY.replace("work/w", "journal/annex/frozen/agents/m3-4/work/w");

it.each([
  [`${COPY}/src/a.ts`, false],
  [COPY, false],
  [`${NESTED}/src/a.ts`, false],
  [`${NESTED}/.env`, true],
  [`${COPY}/.env`, true],
  [`${COPY}/.ssh/config`, true],
  [`${COPY}/.local/state/haft/sessions.db`, true],
  [".local/state/haft/workspaces/w-1/journal/annex/frozen/agents/m1-2/work", true],
  [".local/state/haft/workspaces/w-1/journal/annex/frozen/agents/m1-2/owner.json", true],
  [".local/state/haft/workspaces/w-1/sessions/s1/session.jsonl", true],
])("F10 in the state folder, the copy of a workspace is as private as the workspace: %s %s", (path, isPrivate) => {
  expect(isPrivatePath(`/h/${path}`)).toBe(isPrivate);
});
