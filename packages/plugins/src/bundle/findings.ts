/** A pattern that shows what a text may do, with the words for it. */
const PATTERNS: readonly (readonly [words: string, pattern: RegExp])[] = [
  [
    "runs a download in a shell",
    /\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n|;]*\|\s*(?:sudo\s+)?(?:ba|z|da)?(?:sh|python3?|node|perl|iex)\b/gi,
  ],
  ["runs a download in a shell", /\b(?:ba|z)?sh\s+(?:-c\s+["']\$|<)\(\s*(?:curl|wget)[^\n]*/gi],
  [
    "names a private file",
    /(?:~|\$HOME|\/home\/\w+|\/Users\/\w+)?\/?\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials)\b[\w./-]*|\bid_(?:rsa|ed25519)\b|\/etc\/(?:shadow|passwd)\b|\.config\/gcloud[\w./-]*|\.env\b(?!\.\w)|Login Data|Cookies\.binarycookies|wallet\.dat|login\.keychain/gi,
  ],
  ["reads a secret of the environment", /\b[A-Z][A-Z0-9_]*(?:API_?KEY|TOKEN|SECRET|PASSWORD)\b/g],
  [
    "reads the whole environment",
    /JSON\.stringify\(process\.env\)|Object\.(?:entries|keys|values)\(process\.env\)|\bos\.environ\b(?!\[|\.get)|\bprintenv\b|(?:^|[|;&]\s*)env\s*(?=[|>]|$)/gm,
  ],
  [
    "changes a file that runs automatically",
    /\.(?:bashrc|zshrc|bash_profile|zprofile|profile|envrc)\b|\bcrontab\b|LaunchAgents|systemd\/user|authorized_keys|\.git\/hooks[\w./-]*|autostart\b/gi,
  ],
  [
    "names settings of agents",
    /\.(?:claude|haft|codex|gemini|cursor)\/[\w./-]*(?:settings|hooks|config|mcp)[\w./-]*|\.mcp\.json\b|\bCLAUDE\.md\b|\bAGENTS\.md\b|\.claude\.json\b/g,
  ],
  [
    "evaluates code from outside",
    /\beval\s*\(|new Function\s*\(|\bexec\s*\(\s*(?:compile|base64|zlib|requests|urllib)|\bvm\.run\w*\(|\bimportlib\b/g,
  ],
  [
    "decodes hidden code",
    /\bbase64\s+(?:-d|-D|--decode)\b|\batob\s*\(|["']base64["']\s*\)|b64decode|fromCharCode\s*\(|\bxxd\s+-r\b/g,
  ],
  ["contains a long encoded text", /[A-Za-z0-9+/]{240,}={0,2}|(?:\\x[0-9a-f]{2}){30,}/gi],
  [
    "starts programs",
    /\bchild_process\b|\bsubprocess\.\w+|\bos\.(?:system|popen)\b|\bexecSync\b|\bspawnSync?\s*\(|\bDeno\.Command\b/g,
  ],
  ["opens a backdoor", /\/dev\/tcp\/[^\s"']*|\bnc\b[^\n]*\s-e\b|\bmkfifo\b|\bsocat\b|\bngrok\b/g],
  [
    "removes many files",
    /\brm\s+-[a-z]*r[a-z]*f?[a-z]*\s+[^\n;|&]*|\brmSync\([^\n]*recursive|shutil\.rmtree\b|\bmkfs\b|\bdd\s+[^\n]*of=\/dev/gi,
  ],
  [
    "installs something",
    /\b(?:npm|pnpm|yarn)\s+(?:i|install|add)\b[^\n`]*|\bnpx\s+(?:-y|--yes)\b[^\n`]*|\bpip3?\s+install\b[^\n`]*|\bbrew\s+install\b[^\n`]*|\buvx\s+[^\n`]*/gi,
  ],
  [
    "asks for more rights",
    /\bsudo\b|\bchmod\s+(?:u?\+s|[0-7]*[4-7][0-7]{3})\b|\bxattr\b[^\n]*quarantine|\bspctl\b|--dangerously-skip-permissions|bypassPermissions|--no-sandbox|--yolo\b/gi,
  ],
  ["unpacks with a password", /\bunzip\s+-P\b[^\n]*|\b7z\s+x\s+-p\S*|\bopenssl\s+enc\s+-d\b[^\n]*/gi],
  [
    "tells the model to hide things or to disobey",
    /ignore\s+(?:all\s+)?(?:the\s+)?(?:previous|prior|above|other)\s+(?:instructions|rules)|do\s+not\s+(?:tell|mention|show|inform)[^\n.]{0,40}\buser\b|without\s+(?:asking|telling|informing)\s+(?:the\s+)?user|secretly\b|<\/?(?:system|important)>/gi,
  ],
  ["hides text in a comment", /<!--(?:(?!-->)[\s\S]){80,}-->/g],
];

/** Characters that nobody sees, and that models read: zero width, text direction, tags. */
const INVISIBLE = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

const ADDRESS = /\b(?:https?|wss?|ftp):\/\/([^\s/"'`)<>\\,;|]+)/gi;

/** Findings of one text, and characters of each that are shown. */
const MOST_FINDINGS = 30;
const MOST_CHARS = 120;

/** Signs of what a text may do, as short sentences. They find no disguise: the sandbox holds a plugin, not this list. */
export function findingsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [words, pattern] of PATTERNS)
    for (const [match] of text.matchAll(pattern)) {
      found.add(`${words}: ${shown(match)}`);
      if (found.size >= MOST_FINDINGS) return [...found];
    }
  for (const [, host = ""] of text.matchAll(ADDRESS))
    if (!/^(?:localhost|127\.|example\.)/.test(host)) found.add(`names the host ${shown(host)}`);
  const hidden = [...text.slice(1).matchAll(INVISIBLE)].length;
  if (hidden > 0) found.add("contains invisible characters");
  return [...found].slice(0, MOST_FINDINGS);
}

const shown = (match: string): string => {
  const line = match
    .replaceAll(INVISIBLE, "?")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line;
};
