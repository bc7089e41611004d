/** Folders of a home that hold keys, tokens, mail or the history of a person. */
const HOME_FOLDERS: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".oci", ".terraform.d"],
  ...[".config/gh", ".config/gcloud", ".config/hub", ".config/op", ".config/sops", ".config/rclone", ".config/haft"],
  ...[".config/containers", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".mozilla"],
  ...[".local/share/keyrings", ".local/state/haft", ".thunderbird", ".config/Signal", ".config/1Password"],
];

/** Files of a home of the same sort. */
const HOME_FILES: readonly string[] = [
  ...[".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".yarnrc.yml", ".pypirc"],
  ...[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
  ],
  ...[".terraformrc", ".vault-token", ".pgpass", ".my.cnf", ".boto", ".s3cfg", ".Xauthority", ".ICEauthority"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
  ...[".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"],
  ...[".local/share/opencode/auth.json", ".config/github-copilot/hosts.json", ".config/github-copilot/apps.json"],
];

/** Of the machine. They matter where the caller is root: ids are mapped, rights on files stay. */
const SYSTEM: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssl/private", "/etc/krb5.keytab", "/etc/security/opasswd", "/etc/wireguard", "/etc/NetworkManager"],
  ...["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key"],
  ...["/etc/docker", "/etc/rancher", "/etc/kubernetes", "/var/spool/cron", "/var/mail", "/var/lib/docker"],
  ...["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/firmware", "/sys/fs/bpf"],
];

/** Environment files that hold no secrets: they are the pattern for those that do. */
const SAMPLE_ENV = /\.(?:example|sample|template|dist|defaults?|schema)$/i;

/** Places that programs may not read unless a grant names them; missing ones among them. */
export const privatePlaces = (home: string): readonly string[] => [...privateInHome(home), ...SYSTEM];

/** Those of a home. */
export const privateInHome = (home: string): readonly string[] =>
  [...HOME_FOLDERS, ...HOME_FILES].map((name) => `${home}/${name}`);

/** Whether a file in a project is private by its name: `.env`, `.env.local`, but not `.env.example`. */
export const isPrivateName = (name: string): boolean =>
  (/^\.env(?:\..+)?$/i.test(name) && !SAMPLE_ENV.test(name)) || name === ".netrc" || name === ".git-credentials";
