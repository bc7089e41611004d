const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Programs that serve or watch until someone ends them. */
const ALWAYS = words(
  "nodemon live-server http-server http.server browser-sync uvicorn gunicorn watchexec entr air ngrok json-server webpack-dev-server tsc-watch",
);
/** Arguments that make a program do so; "" for no arguments at all. */
const WITH: Readonly<Record<string, ReadonlySet<string>>> = {
  vite: new Set(["", "dev", "serve", "preview"]),
  next: words("dev start"),
  nuxt: words("dev start preview"),
  nuxi: words("dev preview"),
  astro: words("dev preview"),
  gatsby: words("develop serve"),
  remix: words("dev"),
  ng: words("serve"),
  webpack: words("serve watch"),
  parcel: words("watch serve"),
  storybook: words("dev"),
  wrangler: words("dev tail"),
  hugo: words("server serve"),
  jekyll: words("serve"),
  mkdocs: words("serve"),
  flask: words("run"),
  rails: words("server s"),
  "manage.py": words("runserver"),
  cargo: words("watch"),
  gulp: words("watch serve"),
  "react-scripts": words("start"),
};
/** Names of scripts in a manifest that mean the same everywhere. */
const SCRIPTS = words("dev start serve watch preview storybook");
const MANAGERS = words("npm pnpm yarn bun");
/** Programs whose `-w` means `--watch`; elsewhere it means something else. */
const SHORT_WATCH = words("tsc rollup tsup mocha sass tailwindcss webpack babel swc");
/** Programs whose `-f` follows appended data. */
const FOLLOWING = words("tail journalctl");
/** Programs that start the command in their arguments. */
const STARTERS = words("npx bunx pnpx exec dlx time env");

/** The usual name of a command's program that runs until it is ended; `undefined` if none is known. */
export function livesOn(commands: readonly { readonly argv: readonly string[] }[]): string | undefined {
  for (const { argv } of commands) {
    const [program, ...rest] = inner(argv);
    const name = program?.split("/").at(-1) ?? "";
    if (goesOn(name, rest)) return [name, ...rest].slice(0, 3).join(" ");
  }
  return undefined;
}

/** A command without its starter: `npx vite`, `pnpm exec vite`, `python -m http.server`. */
function inner(argv: readonly string[]): readonly string[] {
  const [first = "", second = "", ...rest] = argv;
  if (STARTERS.has(first)) return inner(argv.slice(1).filter((word, index) => index > 0 || !word.startsWith("-")));
  if (MANAGERS.has(first) && STARTERS.has(second)) return inner(rest);
  if (/^(?:uv|poetry|pipenv)$/.test(first) && second === "run") return inner(rest);
  if (first === "bundle" && second === "exec") return inner(rest);
  if (/^python[\d.]*$/.test(first)) return second === "-m" ? inner(rest) : inner([second, ...rest]);
  return argv;
}

function goesOn(name: string, rest: readonly string[]): boolean {
  const plain = rest.filter((word) => !word.startsWith("-"));
  const [first = "", second = ""] = plain;
  if (rest.some((word) => word === "--help" || word === "--version")) return false;
  if (ALWAYS.has(name) || Object.hasOwn(WITH, name)) return ALWAYS.has(name) || WITH[name]!.has(first);
  if (MANAGERS.has(name)) return SCRIPTS.has(first === "run" ? second : first);
  if (rest.some((word) => word === "--watch" || word === "--watchAll")) return true;
  if (SHORT_WATCH.has(name) && rest.includes("-w")) return true;
  if (FOLLOWING.has(name)) return rest.some((word) => /^(?:-[a-zA-Z]*[fF][a-zA-Z]*|--follow(?:=.*)?)$/.test(word));
  const isCompose = name === "docker-compose" || ((name === "docker" || name === "podman") && first === "compose");
  return isCompose && plain.includes("up") && !rest.some((word) => word === "-d" || word === "--detach");
}
