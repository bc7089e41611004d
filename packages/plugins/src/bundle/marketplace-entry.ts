import { fail } from "@haft/core/tool";

/** A plugin in the list of a marketplace. */
export interface MarketplaceEntry {
  readonly name: string;
  readonly description?: unknown;
  readonly version?: unknown;
  /** A relative path, or an object whose `source` names the kind of place. */
  readonly source?: unknown;
}

/** The place of a plugin: a source to fetch, a path in it, or a path in the marketplace. */
export interface EntryPlace {
  readonly fetch?: string;
  readonly path?: string;
}

const GIT = /^(?:(?:https|ssh):\/\/[^\s#]+|git@[\w.-]+:[^\s#]+)$/;
const FILE = /^file:\/\/\/[^\s#]+$/;
const REPOSITORY = /^[\w][\w.-]*\/[\w][\w.-]*$/;
const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;
const VERSION = /^[\w.^~<>=*-]+$/;
const REF = /^\w[\w./-]*$/;
const COMMIT = /^[0-9a-f]{40}$/;

/**
 * The place that an entry names. Only a marketplace on this machine may name a `file:` address.
 *
 * @throws HaftError `validation_failed` for a source that cannot be read, or of a kind that Haft does not fetch.
 */
export function placeOf({ name, source }: MarketplaceEntry, isLocal: boolean): EntryPlace {
  const refuse = (why: string): never =>
    fail("validation_failed", `The plugin ${name} of this marketplace cannot be fetched: ${why}.`, "Name its source.");
  const text = (value: unknown, pattern: RegExp, what: string): string =>
    typeof value === "string" && pattern.test(value)
      ? value
      : refuse(`${what} ${JSON.stringify(value)} cannot be used`);
  if (typeof source === "string") return { path: source };
  if (typeof source !== "object" || source === null) return refuse("it has no source");
  const {
    source: kind,
    path,
    repo,
    url,
    ref,
    sha,
    version,
    registry,
    package: pack,
  } = source as Record<string, unknown>;
  const at = sha !== undefined ? `#${text(sha, COMMIT, "the commit")}` : ref ? `#${text(ref, REF, "the branch")}` : "";
  const address = (): string =>
    isLocal && typeof url === "string" && FILE.test(url) ? url : text(url, GIT, "the address");
  switch (kind) {
    case "local":
      return { path: text(path, /./, "the path") };
    case "github":
      return { fetch: `github:${text(repo, REPOSITORY, "the repository")}${at}` };
    case "url":
    case "git":
      return { fetch: `${address()}${at}` };
    case "git-subdir":
      return { fetch: `${address()}${at}`, path: text(path, /./, "the path") };
    case "npm":
      if (registry !== undefined) return refuse("it names its own registry");
      return {
        fetch: `${text(pack, PACKAGE, "the package")}${version === undefined ? "" : `@${text(version, VERSION, "the version")}`}`,
      };
    default:
      return refuse(`a source of the kind ${JSON.stringify(kind)} is not supported`);
  }
}
