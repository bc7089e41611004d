import { type Files, type Ports, resolve } from "../../../tool/index.ts";

/** Ports that also accept relative paths. These count from the session's folder, as they do in effects. */
export function rooted(ports: Ports, cwd: () => string): Ports {
  const at = (path: string): string => (path.startsWith("/") ? path : resolve(cwd(), path));
  const { files, processes, jobs } = ports;
  return {
    ...ports,
    files: { ...rootedFiles(files, at) },
    processes: { ...processes, run: (request) => processes.run({ ...request, cwd: at(request.cwd) }) },
    ...(jobs ? { jobs: { ...jobs, start: (request) => jobs.start({ ...request, cwd: at(request.cwd) }) } } : {}),
  };
}

function rootedFiles(files: Files, at: (path: string) => string): Files {
  const { gitTracked, mentions } = files;
  return {
    ...files,
    locate: (path) => files.locate(at(path)),
    stat: (path) => files.stat(at(path)),
    bytes: (path, range) => files.bytes(at(path), range),
    text: (path, options) => files.text(at(path), options),
    lines: (path, window) => files.lines(at(path), window),
    list: (path) => files.list(at(path)),
    write: (path, data, options) => files.write(at(path), data, options),
    remove: (path, options) => files.remove(at(path), options),
    find: (query) => files.find({ ...query, root: at(query.root) }),
    search: (query) => files.search({ ...query, root: at(query.root) }),
    gitConfig: (folder) => files.gitConfig(at(folder)),
    ...(gitTracked ? { gitTracked: (folder, isWanted) => gitTracked(at(folder), isWanted) } : {}),
    ...(mentions ? { mentions: (path, words, options) => mentions(at(path), words, options) } : {}),
    seen: (path) => files.seen(at(path)),
    show: (path, view) => files.show(at(path), view),
  };
}
