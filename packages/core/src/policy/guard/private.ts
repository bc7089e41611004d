import { isWithin } from "../../tool/index.ts";
import { AGENT_COPIES } from "./starters.ts";

/** Environment files without secrets: they are templates for the real ones. */
const SAMPLE_ENV = /\.(?:example|sample|template|dist|defaults?|schema)$/i;
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * The one list of private places: `Read` asks about them, a sandbox hides them, diffs do not show them. Files and
 * folders with a person's keys, tokens, mail, wallets or history, matched by the end of their path, in any folder.
 */
const ANYWHERE: readonly string[] = [
  // Keys and passwords.
  ...words(`
    .ssh .gnupg .password-store .pki .local/share/keyrings .local/share/kwalletd .config/op .config/sops
    .config/age .config/1Password .config/Bitwarden .config/keepassxc .vault-token .age
  `),
  // Clouds and clusters.
  ...words(`
    .aws .azure .kube .oci .config/gcloud .config/doctl .config/hcloud .config/scw .config/linode-cli
    .terraform.d .terraformrc .config/rclone .boto .s3cfg .s3cmd .aliyun .bluemix .fly .config/heroku
    .config/netlify .config/configstore .local/share/com.vercel.cli .config/.wrangler .wrangler/config
    .railway .pulumi/credentials.json .docker/config.json .config/containers/auth.json .config/helm
    .config/argocd .minikube/profiles .ansible/vault_pass .vault_pass .config/ngrok .ngrok2 .cloudflared
    .tailscale
  `),
  // Code hosts, package registries, databases.
  ...words(`
    .config/gh .config/hub .config/glab-cli .config/tea .git-credentials .config/git/credentials .netrc
    _netrc .authinfo .authinfo.gpg .pypirc .cargo/credentials .cargo/credentials.toml .gem/credentials
    .bundle/config .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .sbt/.credentials
    .ivy2/.credentials .nuget/NuGet/NuGet.Config .composer/auth.json .config/composer/auth.json
    .hex/hex.config .pub-cache/credentials.json .config/dart/pub-credentials.json .condarc
    .cache/huggingface/token .huggingface .kaggle .pgpass .my.cnf .mylogin.cnf .config/pgcli .dbshell
    .mongorc.js .rediscli_auth
  `),
  // Agents.
  ...words(`
    .claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .qwen/oauth_creds.json
    .local/share/opencode/auth.json .config/github-copilot .config/openai .openai .config/anthropic
    .config/haft .local/state/haft .continue/config.json .aider.conf.yml .config/io.datasette.llm/keys.json
  `),
  // Browsers, mail, messages.
  ...words(`
    .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge
    .config/vivaldi .config/opera .librewolf .config/Signal .config/Slack .config/discord .config/Element
    .mutt .muttrc .neomuttrc .mbsyncrc .msmtprc .fetchmailrc .offlineimaprc .getmail Maildir .purple
    .local/share/TelegramDesktop .config/evolution .local/share/evolution .config/weechat .irssi
  `),
  // Wallets.
  ...words(`
    .bitcoin .litecoin .dogecoin .ethereum/keystore .ethereum/geth/nodekey .electrum .config/solana
    .near-credentials .monero .zcash .config/Exodus .config/atomic .foundry/keystores .brownie/accounts .sui
  `),
  // A person's history, and a desktop's own keys.
  ...words(`
    .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history
    .sqlite_history .rediscli_history .lesshst .irb_history .pry_history .local/share/fish/fish_history
    .local/share/recently-used.xbel .Xauthority .ICEauthority .config/remmina .vnc/passwd .smbcredentials
    .rdesktop
  `),
  ".config/Ledger Live",
];

/** Names that are ordinary in a project but private in a home folder. */
const AT_HOME: readonly string[] = [
  ".docker",
  ".config/containers",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".bunfig.toml",
  ".env",
];

/** The private files and folders of a home, whether or not they exist. */
export const privateInHome = (home: string): readonly string[] =>
  [...ANYWHERE, ...AT_HOME].map((name) => `${home === "/" ? "" : home}/${name}`);

/**
 * The private places of the home at `home`, and everything that is private by its name. Haft's own folders are private
 * too, except for `readable` ones in them: results of this session, skills.
 */
export function privatePaths(home: string, readable: readonly string[] = []): (path: string) => boolean {
  const own = AT_HOME.map((name) => `${home}/${name}`.toLowerCase());
  const open = readable.filter((folder) => OF_HAFT.test(folder));
  return (path) => {
    const folder = open.find((one) => isWithin(one, path)) ?? "";
    return isPrivatePath(path.slice(folder.length)) || own.some((place) => isWithin(place, path.toLowerCase()));
  };
}

const OF_HAFT = /\/\.(?:local\/state|config)\/haft\//i;

const KEY_FILE = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i;
/** Private keys and key stores; a `.pem` file unless its name says certificate. */
const KEY_ENDS = /\.(?:key|p12|pfx|jks|keystore|kdbx|ppk)$|(?<!cert|chain|bundle|ca|pub|public|csr)\.pem$/i;

const byFirst = new Map<string, string[][]>();
// `Map.groupBy` would keep an old Node from the message about its version.
for (const name of ANYWHERE) {
  const parts = name.toLowerCase().split("/");
  byFirst.set(parts[0]!, [...(byFirst.get(parts[0]!) ?? []), parts]);
}

/** Whether a file is private by its name, in any folder: `.env`, `.env.local`, keys; not `.env.example`. */
export function isPrivatePath(path: string): boolean {
  const parts = path.split("/");
  const name = ofCopy(parts.at(-1) ?? "");
  if (isEnvName(name)) return !SAMPLE_ENV.test(name);
  if (KEY_FILE.test(name) || KEY_ENDS.test(name)) return true;
  const folded = [...parts.slice(0, -1), name].map((part) => part.toLowerCase());
  return folded.some(
    (part, index) =>
      byFirst.get(part)?.some((wanted) => wanted.every((word, offset) => folded[index + offset] === word)) &&
      !isInCopy(folded.slice(index)),
  );
}

const COPIES = AGENT_COPIES.map((folder) => folder.split("/"));
/** Whether a path goes through Haft's state into the copy of a workspace, which is as private as the workspace. */
const isInCopy = (parts: readonly string[]): boolean =>
  COPIES.some(
    (words) => parts.length > words.length && words.every((word, index) => word === "*" || word === parts[index]),
  );

const isEnvName = (name: string): boolean => /^\.env(?:\..+)?$/i.test(name);

/**
 * Whether a sandbox hides a project file from every command without a grant for it: `.env`, `.env.local`, but not
 * `.env.example`. It hides keys only from commands that only read; builds and tests may need them.
 */
export const isSecretName = (name: string): boolean =>
  (isEnvName(name) && !SAMPLE_ENV.test(name)) || name === ".netrc" || name === ".git-credentials";

/** The original name of an editor's copy (`.env~`, `#.env#`), or of a name that some systems treat as equal (`.env.`). */
const ofCopy = (name: string): string =>
  IS_COPY.test(name) ? name.replace(/^\.?#(.+?)#?$/, "$1").replace(/[~. ]+$/, "") : name;

const IS_COPY = /^\.?#|[~. ]$/;
