import { isWithin } from "@haft/core/tool";

/**
 * The visible parts of a home for a command whose reads are unknown: compilers, interpreters, package managers and what they
 * have fetched. Everything else in a home is personal. Private files in these folders stay hidden.
 */
const TOOLCHAINS: readonly string[] = `
  .local/bin .local/lib .local/pipx .local/share/pipx .local/share/uv .local/share/pnpm .local/share/fnm
  .local/share/mise .local/share/virtualenvs .local/share/virtualenv .local/share/rtx .local/share/bob
  .local/share/gem .local/share/fonts .local/share/applications .local/share/nvm .local/share/corepack
  .cargo .rustup .nvm .npm .npm-global .fnm .volta .n .yarn .pnpm-store .bun .deno .pyenv .virtualenvs
  .conda miniconda3 anaconda3 miniforge3 mambaforge .rye .pixi .rbenv .rvm .gem .bundle .asdf .mise .sdkman
  .jenv .m2 .gradle .ivy2 .sbt .coursier .konan .jdks go .go sdk .goenv .nuget .dotnet .ghcup .cabal .stack
  .opam .elan .juliaup .julia .R R .nix-profile .nix-defexpr .local/state/nix .pub-cache .flutter flutter
  .android Android/Sdk .cache .ccache .cmake .conan2 .vcpkg .platformio .texlive texmf .fonts .wasmtime
  .wasmer .zvm .emscripten_cache .cpan perl5 .luarocks .composer .config/composer .mix .hex .kiex .phpenv
  .foundry
`
  .trim()
  .split(/\s+/);

/** The toolchain folders, and the PATH folders below a home. */
export const toolchainsOf = (home: string, searchPath = ""): readonly string[] => [
  ...TOOLCHAINS.map((name) => `${home}/${name}`),
  ...searchPath.split(":").filter((folder) => folder !== home && isWithin(home, folder)),
];
