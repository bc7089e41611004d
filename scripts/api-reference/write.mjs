/**
 * Writes the API reference from the docstrings: a page for each door of the published packages. Fails for a public name
 * without a docstring and for a link that leads nowhere.
 */
import { globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Comment } from "typedoc";

const root = fileURLToPath(new URL("../../", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "packages/haft/api"));

const manifest = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** File → what one writes in an import to reach it. */
const doors = new Map(
  ["haft", "core", "workers"].flatMap((folder) => {
    const { name, exports } = manifest(`packages/${folder}`);
    // A door without a default opens in this repository only.
    return Object.entries(exports).flatMap(([key, { "haft-source": file, default: built }]) =>
      file && built ? [[join(root, "packages", folder, file), `${name}${key.slice(1)}`]] : [],
    );
  }),
);

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: [...doors.keys()],
  tsconfig: join(root, "scripts/api-reference/tsconfig.json"),
  basePath: root,
  // `npm run typecheck` has checked the types, with a later compiler.
  skipErrorChecking: true,
  name: "API reference",
  readme: "none",
  out,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  sort: ["alphabetical"],
  // A member may explain itself. Functions are not in the list, because methods would count too; a test knows them.
  requiredToBeDocumented: ["Class", "Interface", "TypeAlias", "Variable"],
  packagesRequiringDocumentation: globSync("packages/*", { cwd: root }).map((folder) => manifest(folder).name),
  validation: { invalidLink: true, notDocumented: true, notExported: false, rewrittenLink: true },
  treatValidationWarningsAsErrors: true,
  // Options of typedoc-plugin-markdown: plain tables, no badges.
  outputFileStrategy: "modules",
  fileExtension: ".md",
  entryFileName: "README",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
});
const project = await app.convert();
if (!project) process.exit(1);

// A door's docstring is `@module SENTENCE`, which TypeDoc takes for a name. Its name is what one imports.
for (const module of project.children ?? []) {
  const file = module.sources?.[0]?.fullFileName ?? project.getSymbolIdFromReflection(module)?.fileName.toString();
  const door = doors.get(file ?? "");
  if (door === undefined) throw new Error(`No door has the file ${file}, of "${module.name}".`);
  module.comment = new Comment([{ kind: "text", text: module.name }]);
  module.name = door;
}
app.validate(project);
rmSync(out, { recursive: true, force: true });
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings() || app.logger.validationWarningCount > 0) process.exit(1);
console.log(`${doors.size} pages in ${out}`);
