import { defineTool, type Firing, type Schedule, type ScheduleDraft, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["add", "list", "status", "run", "pause", "resume", "remove"],
      description: "run starts it now; status shows the last runs of one schedule.",
    },
    id: {
      type: "string",
      minLength: 1,
      maxLength: 40,
      description: "The id of a schedule. Required except for add and list.",
    },
    expression: {
      type: "string",
      minLength: 1,
      maxLength: 200,
      description: 'For add: minute, hour, day of month, month, day of week, such as "0 3 * * 1-5".',
    },
    zone: { type: "string", minLength: 1, maxLength: 60, description: "For add: a time zone such as Europe/Berlin." },
    prompt: { type: "string", minLength: 1, maxLength: 50_000, description: "For add: the whole task of each run." },
    name: { type: "string", minLength: 1, maxLength: 100, description: "For add: a short name." },
    deadline_minutes: {
      type: "integer",
      minimum: 1,
      maximum: 1440,
      description: "For add: minutes until an unanswered question of a run is refused. Default 10.",
    },
  },
  required: ["action"],
  additionalProperties: false,
} as const;

interface Wish {
  readonly action: "add" | "list" | "status" | "run" | "pause" | "resume" | "remove";
  readonly id?: string;
  readonly expression?: string;
  readonly zone?: string;
  readonly prompt?: string;
  readonly name?: string;
  readonly deadline_minutes?: number;
}

/** The output of cron, for programs. */
interface CronOutput {
  readonly action: Wish["action"];
  readonly schedules: readonly Schedule[];
  readonly firings?: readonly Firing[];
}

const LOOKS: ReadonlySet<string> = new Set(["list", "status"]);

/** cron: prompts that run at given times. */
export const cron = defineTool({
  name: "cron",
  aliases: ["automations"],
  title: "Schedules",
  searchHint: "cron schedule automation recurring job nightly timer reminder",
  description: [
    "Runs a prompt at given times, in a session of its own, while a host of schedules runs (haft schedule run).",
    "add first rehearses the prompt with nothing becoming real. The user approves the rules that it needed; a firing that needs more asks and never hangs.",
  ].join("\n"),
  input,
  offer: "deferred",
  can: ["state"],
  when: needs("schedules", "this session does not store anything on disk"),
  effects: ({ action }) => [state("schedules", { change: !LOOKS.has(action) })],
  object: ({ action }) =>
    action === "add" || action === "resume"
      ? { behavior: "ask", reason: "It will run unattended later, with the rules shown." }
      : undefined,
  validate(wish, { ports }) {
    if (wish.action !== "add")
      return wish.action === "list" || wish.id !== undefined
        ? undefined
        : { message: `${wish.action} needs the id of a schedule.`, hint: "action list has the ids." };
    const { expression, prompt, zone } = wish;
    if (expression === undefined || prompt === undefined)
      return { message: "add needs expression and prompt.", hint: 'Such as "0 3 * * *" and the whole task.' };
    const problem = ports.schedules?.problem({ expression, ...(zone === undefined ? {} : { zone }) });
    return problem === undefined ? undefined : { message: problem, hint: 'Write five fields: "0 3 * * *".' };
  },
  async preview(wish, { ports }) {
    const port = portOf(ports, "schedules");
    if (wish.action !== "add") return { kind: "text", text: line(await port.get(wish.id ?? "")) };
    const { grant, ungranted, skipped } = await port.rehearse(draftOf(wish));
    return {
      kind: "group",
      title: `${wish.name ?? "A schedule"} at ${wish.expression} (${wish.zone ?? "local time"})`,
      items: [
        { kind: "text", text: wish.prompt ?? "" },
        {
          kind: "table",
          columns: ["may do without asking"],
          rows: grant.length > 0 ? grant.map((one) => [one]) : [["only reads here"]],
        },
        ...(ungranted.length > 0
          ? [{ kind: "table", columns: ["asks at each run"], rows: ungranted.map((one) => [one]) } as const]
          : []),
        ...(skipped === undefined ? [] : [{ kind: "text", text: `It was not rehearsed: ${skipped}` } as const]),
      ],
    };
  },
  describe: ({ action, name, id }) => ({
    title: `${action === "add" ? "Add" : (action ?? "Look at")} schedule ${name ?? id ?? ""}`.trim(),
    activity: "Using the schedules",
  }),
  async run(wish, { ports }): Promise<CronOutput> {
    const { action, id = "" } = wish;
    const port = portOf(ports, "schedules");
    switch (action) {
      case "add":
        return { action, schedules: [await port.add(draftOf(wish))] };
      case "list":
        return { action, schedules: await port.list() };
      case "status":
        return { action, schedules: [await port.get(id)], firings: await port.firings(id, 10) };
      case "run":
        return { action, schedules: [await port.runSoon(id)] };
      case "remove":
        return { action, schedules: [await port.remove(id)] };
      default:
        return { action, schedules: [await port.setEnabled(id, action === "resume")] };
    }
  },
  toModel: ({ action, schedules, firings = [] }) => [
    text(
      [
        ...(schedules.length === 0 ? ["There are no schedules in this folder."] : schedules.map(line)),
        ...firings.map(firingLine),
        ...(action === "add" || action === "run" ? ["It runs while `haft schedule run` is running."] : []),
      ].join("\n"),
    ),
  ],
});

const draftOf = ({ expression = "", prompt = "", zone, name, deadline_minutes: minutes }: Wish): ScheduleDraft => ({
  ...{ expression, prompt },
  ...(zone === undefined ? {} : { zone }),
  ...(name === undefined ? {} : { name }),
  ...(minutes === undefined ? {} : { deadlineMinutes: minutes }),
});

const line = ({ id, name, expression, zone, enabled, next, grant, last }: Schedule): string =>
  [
    `${id}${name === undefined ? "" : ` "${name}"`}: ${expression} (${zone ?? "local time"})`,
    enabled ? `next ${next ?? "never"}` : "paused",
    `may: ${grant.join(", ") || "only read"}`,
    last ? `last: ${last.status} at ${last.at}` : "never run",
  ].join("; ");

const firingLine = ({ at, status, text: said = "", open = [], missed }: Firing): string =>
  `  ${at} ${status}${missed === undefined ? "" : ` ${missed}`}${open.length > 0 ? `, open: ${open.join("; ")}` : ""} ${said.split("\n", 1)[0]}`.trimEnd();
