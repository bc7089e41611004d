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
