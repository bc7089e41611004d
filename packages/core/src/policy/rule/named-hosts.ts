import type { RunEffect } from "../../tool/index.ts";
import { isNetClient } from "../guard/external-effects.ts";
import { programName } from "../pattern/command-forms.ts";

/** A host among the words of a command. */
export interface NamedHost {
  readonly host: string;
  readonly port?: number;
  /** It has a scheme, or the program is a net client. Otherwise a word may as well be the name of a file. */
  readonly isAddress: boolean;
}

/**
 * The hosts that an opaque command names: `curl https://x.example`, `ssh me@x.example`, `--url=x.example`,
 * `https_proxy=http://x.example`. Hosts from any other source stay undetected.
 */
export function hostsNamed({ argv, assigns = [], opaque }: RunEffect): readonly NamedHost[] {
  if (!opaque) return [];
  const words = [...argv.slice(1), ...assigns].flatMap((word) => [
    word,
    word.replace(/^[\w.-]+=/, ""),
    word.replace(/^-[A-Za-z]/, ""),
  ]);
  const isClient = isNetClient(programName(argv[0] ?? "", false));
  return [...new Set(words)].flatMap((word) => {
    const host = addressIn(word) ?? bareHostIn(word) ?? (isClient ? shortHostIn(word) : undefined);
    return host === undefined ? [] : [isClient ? { ...host, isAddress: true } : host];
  });
}

const ADDRESS = /^([a-z][a-z0-9+.-]*):[/\\]{2}(?:[^/\\?#\s]*@)?(\[[^\]\s]+\]|[^:/\\?#@\s]+)(?::(\d{1,5}))?/i;
const BARE =
  /^(?:(?:https?|wss?|ftp):)?(?:\/\/)?(?:[^/\\?#\s]*@)?(\[[^\]\s]+\]|[^:/\\?#@\s]*[.\u3002][^:/\\?#@\s]*)(?::(\d{1,5}))?(?=[:/\\?#]|$)/i;
const USUAL_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443, ftp: 21, ssh: 22 };

function addressIn(word: string): NamedHost | undefined {
  const [, scheme = "", host, port] = ADDRESS.exec(word) ?? [];
  if (host === undefined) return undefined;
  const at = port === undefined ? USUAL_PORTS[scheme.toLowerCase()] : Number(port);
  return { host, isAddress: true, ...(at === undefined ? {} : { port: at }) };
}

function bareHostIn(word: string): NamedHost | undefined {
  const [, host, port] = BARE.exec(word) ?? [];
  return host === undefined
    ? undefined
    : { host, isAddress: false, ...(port === undefined ? {} : { port: Number(port) }) };
}

/** A host without a domain: `ssh me@backup`, `scp f backup:`. */
function shortHostIn(word: string): NamedHost | undefined {
  const host = /^(?:[^/\\?#@\s-][^/\\?#@\s]*@)?([\w-]*\w)(?=:|$)/.exec(word)?.[1];
  return host === undefined || word.startsWith("-") ? undefined : { host, isAddress: true };
}
