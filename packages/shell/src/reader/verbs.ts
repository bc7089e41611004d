import type { LookKind } from "../facts/fact.ts";
import { ANY_WORD, headsOf, only, type Value } from "../word/value.ts";
import { type Judge, judgeReader, opaque, type ReaderGrammar } from "./grammar.ts";
import { options, type Parsed, parseOptions, wholeOptions } from "./options.ts";
import { asksSchemaOnly, checkSelect, MAY_ACT } from "./script/sqlite.ts";

const text = (...lines: readonly string[]): ReaderGrammar => ({ operands: "text", options: options(...lines) });
const bare = (...lines: readonly string[]): ReaderGrammar => ({ operands: "none", options: options(...lines) });

const npmList = text(
  "-agl --all --json --long --parseable --global --depth= --omit= --include= --prod --link --package-lock-only",
);
const unit = text(
  "-al -n= -p= -t= --all --full --failed --lines= --no-legend --no-pager --plain --property= --state= --type= --value --output=",
);
/** An operand that may be a path is a file with a package. */
const packages: ReaderGrammar = {
  ...text("-a"),
  refuse: ({ operands }) =>
    operands.every((value) => headsOf(value).every((head) => /^[a-z\d]/i.test(head)))
      ? undefined
      : "It may be a file that is shown.",
};
const container = text(
  "-aqnls -f= -n= -t --all --quiet --filter= --format= --last= --no-trunc --size --latest --tail= --since= --until= --timestamps --type= --human --no-stream --help",
);
/** openssl fetches an operand with an address, or uses it to find the source: `org.openssl.engine:/x.so:` loads a library. */
const isFile = ({ given }: Parsed): boolean =>
  given.every(
    ({ name, value }) => name !== "-in" || headsOf(value ?? ANY_WORD).every((head) => !/^[\w.+-]+:/.test(head)),
  );
const ELSEWHERE = "A path with an address may lie anywhere.";
const publicKey: ReaderGrammar = {
  operands: "none",
  options: wholeOptions("-pubin -in=< -inform= -noout -text -modulus"),
  refuse: (parsed) =>
    !isFile(parsed)
      ? ELSEWHERE
      : parsed.has("-pubin") && parsed.has("-in")
        ? undefined
        : "A private key would be shown.",
};
const DIGESTS = "-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -blake2b512 -blake2s256 -sha3-256 -sha3-512";
const digest = (more: string): ReaderGrammar => ({
  operands: "read",
  options: wholeOptions("-r -c -hex -binary", more),
});
/** `docker image ls`: the command is the next word. */
const below = (verbs: string): ReaderGrammar => ({
  ...container,
  refuse: ({ operands: [verb] }) =>
    RegExp(`^(${verbs})$`).test(only(verb) ?? "") ? undefined : "It may change something.",
});
const pip: Readonly<Record<string, ReaderGrammar>> = {
  list: bare(
    "-el --editable --local --user --not-required --format= --exclude= --path= --include-editable --exclude-editable",
  ),
  show: text("-f --files --verbose -v"),
  freeze: bare("-l --local --user --all --exclude= --exclude-editable"),
  check: bare(""),
};

/** Programs with some commands that only look. Each command has its own grammar for options and operands. */
const VERBS: Readonly<Record<string, Readonly<Record<string, ReaderGrammar>>>> = {
  // Nothing of the project runs, and with the variables of the runner no network request is made.
  npm: {
    ls: npmList,
    list: npmList,
    ll: npmList,
    explain: text("--json"),
    why: text("--json"),
    root: bare("-g --global"),
    prefix: bare("-g --global"),
    query: text(""),
    config: {
      ...text("-gl --json --long --global"),
      refuse: ({ operands: [what, ...keys] }) =>
        /^(get|list|ls)$/.test(only(what) ?? "") && keys.every((key) => /^[a-z@:-]+$/.test(only(key) ?? ""))
          ? undefined
          : "npm config may set something, or show a secret.",
    },
    pkg: {
      ...text("--json -w= --workspace= --workspaces"),
      refuse: ({ operands: [what] }) => (only(what) === "get" ? undefined : "npm pkg may set something."),
    },
    // Without a name it lists the scripts.
    run: bare("--json"),
    "run-script": bare("--json"),
  },
  pip,
  pip3: pip,
  // Its own toolchain only: otherwise a module may name one to fetch. -w and -u write.
  go: {
    version: { operands: "read", options: wholeOptions("-m -v") },
    env: { operands: "text", options: wholeOptions("-json -changed") },
    help: text(""),
  },
  openssl: {
    version: { operands: "none", options: wholeOptions("-a -b -d -e -f -o -p -r -v") },
    x509: {
      operands: "none",
      options: wholeOptions(
        "-in=< -inform= -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial -email -purpose -pubkey",
        "-modulus -hash -sha1 -sha256 -ext= -nameopt= -certopt= -checkend= -checkhost=",
      ),
      refuse: (parsed) => (isFile(parsed) ? undefined : ELSEWHERE),
    },
    req: {
      operands: "none",
      options: wholeOptions("-in=< -inform= -noout -text -subject -pubkey -modulus -verify -nameopt= -reqopt="),
      refuse: ({ has }) => (has("-in") ? undefined : "Without -in a request may be made."),
    },
    pkey: publicKey,
    rsa: publicKey,
    crl: {
      operands: "none",
      options: wholeOptions(
        "-in=< -inform= -noout -text -issuer -lastupdate -nextupdate -crlnumber -hash -fingerprint -nameopt=",
      ),
      refuse: (parsed) => (isFile(parsed) ? undefined : ELSEWHERE),
    },
    asn1parse: {
      operands: "none",
      options: wholeOptions("-in=< -inform= -i -dump -dlimit= -strparse= -offset= -length="),
    },
    dgst: {
      ...digest(DIGESTS),
      refuse: ({ has }) => (has(...DIGESTS.split(" ")) ? undefined : "It is not known what it makes."),
    },
    base64: {
      operands: "none",
      options: wholeOptions("-d -e -A -a -in=<"),
      refuse: (parsed) => (isFile(parsed) ? undefined : ELSEWHERE),
    },
    ...Object.fromEntries("md5 sha1 sha224 sha256 sha384 sha512".split(" ").map((name) => [name, digest("")])),
    ciphers: { operands: "text", options: wholeOptions("-v -V -s -stdname -tls1 -tls1_1 -tls1_2 -tls1_3") },
    list: {
      operands: "none",
      options: wholeOptions(
        "-1 -commands -standard-commands -digest-commands -digest-algorithms -cipher-commands -cipher-algorithms -mac-algorithms",
        "-kdf-algorithms -public-key-algorithms -public-key-methods -random-generators -disabled -providers -verbose",
      ),
    },
  },
  systemctl: Object.fromEntries(
    "status show cat is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets list-dependencies"
      .split(" ")
      .map((verb) => [verb, unit]),
  ),
  // No option before the command selects another machine.
  docker: {
    ...Object.fromEntries(
      "ps images info version inspect logs port diff history".split(" ").map((verb) => [verb, container]),
    ),
    stats: { ...container, refuse: ({ has }) => (has("--no-stream") ? undefined : "It never ends.") },
    // The words after the name are for `ps`.
    top: { ...bare(), operands: "text", most: 1 },
    image: below("ls|list|inspect|history"),
    container: below("ls|list|ps|inspect|logs|port|diff"),
    volume: below("ls|list|inspect"),
    network: below("ls|list|inspect"),
    context: below("ls|list|show|inspect"),
    system: below("df"),
    compose: {
      ...bare("--short"),
      operands: "text",
      refuse: ({ operands }) =>
        only(operands[0]) === "version" && operands.length === 1 ? undefined : "It may change something.",
    },
  },
  kubectl: {
    version: {
      ...bare("--client -o= --output="),
      refuse: ({ has }) => (has("--client") ? undefined : "It asks the network."),
    },
    // `kubectl config` is not listed: a kubectl that matches its version to the server asks that server first.
  },
  helm: { version: bare("--short") },
  gem: {
    list: text("-dl --local --details --all"),
    env: text(""),
    environment: text(""),
    contents: text(""),
    which: text(""),
  },
  apt: { list: text("-a --installed --upgradable --all-versions"), show: packages, policy: text("") },
  "apt-cache": {
    policy: text(""),
    show: text("-a"),
    search: text("-n --names-only"),
    depends: text(""),
    rdepends: text(""),
    madison: text(""),
  },
  brew: { list: text("-1 --versions --formula --cask --full-name"), leaves: bare(""), config: bare("") },
};

/** Whether `name` is a program that is judged by its commands. */
export const hasVerbs = (name: string): boolean => Object.hasOwn(VERBS, name);

/** Judges the command of such a program, if it only looks. */
export function judgeVerb(name: string, args: readonly Value[], at: Parameters<Judge>[1]) {
  const verb = only(args[0]) ?? "";
  const verbs = VERBS[name]!;
  if (!Object.hasOwn(verbs, verb)) return opaque(`${name} ${verb} is not among the commands known to change nothing.`);
  return judgeReader(verbs[verb]!, args.slice(1), at);
}

const YQ = options(
  "-rPCMenNyYcjSa -o= -p= -I= --prettyPrint --colors --no-colors --exit-status --null-input --no-doc --raw-output --unwrapScalar[=]",
  "--output-format= --input-format= --indent= --version --help --yaml-output --compact-output --sort-keys",
);

const ACTING = /load|import|include|modulemeta|env|eval|system|exec/i;
/** `.env` is the value of that key. With a bracket after it the meaning is unknown. */
const YQ_KEY = /(?<!\.)\.[A-Za-z_]\w*(?!\w*\s*\()/g;

/**
 * The two programs called yq share most options; -i and -s write in one of them, so they are not listed. That one reads a first word that
 * names a file as a file, and a file with the ending `.yq` as its program.
 */
export const judgeYq: Judge = (args, at) => {
  const [first, ...others] = args;
  const rest = /^(e|ea|eval|eval-all)$/.test(only(first) ?? "") ? others : args;
  const reads = (filter: Value | undefined): boolean =>
    filter !== undefined &&
    (filter.kind !== "text" || headsOf(filter).some((head) => ACTING.test(head.replace(YQ_KEY, "."))));
  const refuse = ({ operands: [filter] }: Parsed): string | undefined =>
    reads(filter) || headsOf(filter!).some((head) => head.endsWith(".yq"))
      ? "The filter may read other files."
      : undefined;
  const grammar: ReaderGrammar = { operands: "read", leading: 1, options: YQ, refuse };
  const isName = (value: Value): boolean => /^[\w./~+@:%-]+$/.test(only(value) ?? "");
  const parsed = parseOptions(rest, YQ);
  const isFile = typeof parsed !== "string" && parsed.operands.slice(0, 1).some(isName);
  return judgeReader(isFile ? { ...grammar, leading: 0 } : grammar, rest, at);
};

const SQLITE = wholeOptions(
  "-readonly --readonly -header -noheader -column -csv -json -line -list -markdown -table -tabs -html -box -batch -bail",
  "-separator= -nullvalue= -cmd= -safe --safe -version --version",
);

/**
 * `sqlite3 FILE 'SELECT ...'`. Opening a database may write files beside it, and without -readonly the file itself. If more than the list
 * of its tables is read, a view may start a program, and even with -safe open other files. Looks show that none of this happens.
 */
export const judgeSqlite: Judge = (args, at) => {
  const kinds: LookKind[] = ["settledDatabase"];
  const refuse = (parsed: Parsed): string | undefined => {
    if (parsed.has("-version", "--version")) return undefined;
    const scripts = [
      ...parsed.given.filter(({ name }) => name === "-cmd").map(({ value }) => value),
      ...parsed.operands.slice(1),
    ].map(only);
    const isOpen = !parsed.has("-readonly", "--readonly");
    if (isOpen) kinds.push("file");
    if (isOpen || !scripts.every((script) => script !== undefined && asksSchemaOnly(script)))
      kinds.push("tameDatabase");
    if (parsed.operands.length < 2) return "Its commands come from somewhere else.";
    if (headsOf(parsed.operands[0]!).some((head) => head === "" || /^file:/i.test(head)))
      return "The database may lie elsewhere.";
    return scripts.map((script) => checkSelect(script, isOpen)).find((problem) => problem !== undefined);
  };
  const judged = judgeReader({ operands: "read", paths: 1, options: SQLITE, refuse }, args, at);
  if ("why" in judged) return judged;
  const databases = judged.effects.flatMap((effect) => (effect.do === "read" ? [effect] : []));
  if (databases.some(({ tree, as }) => tree || as !== undefined)) return opaque(MAY_ACT);
  return { ...judged, needs: databases.flatMap(({ path }) => kinds.map((kind) => ({ kind, path, why: MAY_ACT }))) };
};
