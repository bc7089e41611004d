import { nearest } from "@haft/core/schema";
import { fail } from "@haft/core/tool";

/** The most used file types, by ripgrep's names. */
const types: Readonly<Record<string, readonly string[]>> = {
  c: ["*.[chH]", "*.[chH].in", "*.cats"],
  cpp: [
    "*.[ChH]",
    "*.cc",
    "*.[ch]pp",
    "*.[ch]xx",
    "*.hh",
    "*.inl",
    "*.[ChH].in",
    "*.cc.in",
    "*.[ch]pp.in",
    "*.[ch]xx.in",
    "*.hh.in",
  ],
  csharp: ["*.cs"],
  css: ["*.css", "*.scss"],
  csv: ["*.csv"],
  docker: ["*Dockerfile*"],
  go: ["*.go"],
  graphql: ["*.graphql", "*.graphqls"],
  html: ["*.htm", "*.html", "*.ejs"],
  java: ["*.java", "*.jsp", "*.jspx", "*.properties"],
  js: ["*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"],
  json: ["*.json", "composer.lock", "*.sarif"],
  kotlin: ["*.kt", "*.kts"],
  less: ["*.less"],
  lua: ["*.lua"],
  markdown: ["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"],
  md: ["*.markdown", "*.md", "*.mdown", "*.mdwn", "*.mdx", "*.mkd", "*.mkdn"],
  php: ["*.php", "*.php3", "*.php4", "*.php5", "*.php7", "*.php8", "*.pht", "*.phtml"],
  protobuf: ["*.proto"],
  py: ["*.py", "*.pyi"],
  python: ["*.py", "*.pyi"],
  ruby: ["*.gemspec", "*.rake", "*.rb", ".irbrc", "Gemfile", "Rakefile", "config.ru", "*.rbw"],
  rust: ["*.rs"],
  sass: ["*.sass", "*.scss"],
  scala: ["*.scala", "*.sbt"],
  sql: ["*.sql", "*.psql"],
  svelte: ["*.svelte", "*.svelte.ts"],
  swift: ["*.swift"],
  toml: ["*.toml", "Cargo.lock"],
  ts: ["*.ts", "*.tsx", "*.cts", "*.mts"],
  txt: ["*.txt"],
  typescript: ["*.ts", "*.tsx", "*.cts", "*.mts"],
  vue: ["*.vue"],
  xml: ["*.xml", "*.xml.dist", "*.dtd", "*.xsl", "*.xslt", "*.xsd", "*.xjb", "*.rng", "*.sch", "*.xhtml"],
  yaml: ["*.yaml", "*.yml"],
};

/** The globs of a file type. */
export function typeGlobs(type: string): readonly string[] {
  const globs = Object.hasOwn(types, type) ? types[type] : undefined;
  if (globs) return globs;
  const meant = nearest(type, Object.keys(types));
  return fail(
    "invalid_input",
    `The file type "${type}" is not known to the builtin search.`,
    meant ? `Did you mean ${meant}? Or use glob, e.g. *.ts.` : "Use glob instead, e.g. *.ts.",
  );
}
