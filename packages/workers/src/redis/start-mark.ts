import type { Connection } from "./connect.ts";
import type { Names } from "./names.ts";
import { script } from "./script.ts";

/** Marks an attempt that will not run: the first to set the mark decides. */
export const WITHDRAWN = "-";

/** How long a mark is there: longer than any job lies in a queue. */
export const MARK_MS = 24 * 3_600_000;

/** Marks an attempt unless it is marked. Returns the mark that it has. */
export const markStart = (redis: Connection, names: Names, job: string, mark: string): Promise<string | null> =>
  redis.set(names.started(job), mark, "PX", MARK_MS, "NX", "GET");

/** A worker's name in its queue, from which a script makes its mark. */
export const workerName = (id: string, journal: string): string => `${id}/${journal}`;

/** The mark of a worker on the attempts that its queue gave it. */
export const queueMark = (id: string, journal: string): string => `${id} ${journal}`;

const [FRESH, TAKEN] = ["marked", "taken by "];

/**
 * Makes the queue mark a job as started in the step that hands it out: a mark of its own costs each call one more wait
 * for Redis. Marks a job whose worker has a name; call it before a queue uses the connection.
 */
export function markWhenHandedOut(redis: Connection): void {
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) => {
    const prefix = PREFIXES[name.split(":")[0]!];
    define(name, prefix ? { ...definition, lua: marking(definition.lua, prefix) } : definition);
  };
}

/** The scripts of BullMQ that hand out a job, and their argument with the prefix of the queue's keys. */
const PREFIXES: Readonly<Record<string, string>> = { moveToActive: "ARGV[1]", moveToFinished: "ARGV[7]" };

/** A job is a list of fields; `pb` is the name of the worker that gets it. Says there how the job was marked. */
const marking = (lua: string, prefix: string): string => `
local function handOut()
${lua}
end
local out = handOut()
if type(out) ~= 'table' or type(out[1]) ~= 'table' then return out end
local fields = out[1]
for i = 1, #fields, 2 do
  if fields[i] == 'pb' then
    local mark = string.gsub(fields[i + 1], '/', ' ', 1)
    local key = string.gsub(${prefix}, 'bull:[^:]*:$', 'started:') .. out[2]
    local other = redis.call('SET', key, mark, 'PX', ${MARK_MS}, 'NX', 'GET')
    fields[i + 1] = other and '${TAKEN}' .. other or '${FRESH}'
  end
end
return out
`;

/** The mark that a job had when it was handed out; `null`: it is marked for this worker; `undefined`: nobody marked it. */
export function earlierMark(processedBy: string | undefined): string | null | undefined {
  if (processedBy === FRESH) return null;
  return processedBy?.startsWith(TAKEN) ? processedBy.slice(TAKEN.length) : undefined;
}

/** Takes back a worker's own mark from an attempt that it does not start. Redis may be full: what frees memory comes first. */
export const withdrawMark = script<null>(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return nil end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '${WITHDRAWN}', 'PX', ${MARK_MS})
`);

/** The ids in a list that have this mark and no result. */
export const openIn = script<string[]>(`
local open = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if redis.call('GET', KEYS[2] .. id) == ARGV[1] and redis.call('EXISTS', KEYS[3] .. id) == 0 then table.insert(open, id) end
end
return open
`);
