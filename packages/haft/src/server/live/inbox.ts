import type { Answer, ApprovalRequest, Receipt } from "@haft/core/approval";
import { answerRecord, isExpired } from "../../app/approval/answer.ts";
import { approvalWith, everyApproval, type FoundApproval, type ReadFolders } from "../../app/approval/find.ts";
import { digestOf, hasAnswer, isWaiting, readAnswer } from "../../app/approval/record.ts";
import { isStartQuestion } from "../../app/mcp/consent.ts";
import { Problem } from "../route/problem.ts";
import type { LiveSession } from "./live-session.ts";
import type { Rooms } from "./rooms.ts";

/** An unanswered question of any session, agent or schedule of the user, in any folder and process. */
export interface InboxItem {
  readonly session: string;
  readonly request: ApprovalRequest;
  /** A digest of everything that is shown. An answer may carry it, and then counts for exactly that. */
  readonly digest: string;
  /** The working directory of the session, unless it is that of the server. */
  readonly folder?: string;
  /** The schedule or the session that started the asking session. */
  readonly from?: { readonly kind: "schedule" | "spawned"; readonly label?: string };
  /** Its call waits. Otherwise nobody does, and the answer counts when the same call is made again. */
  readonly isWaiting: boolean;
  /** Questions with the same key ask for the same effects, so one answer may cover them. */
  readonly effectsKey: string;
}

/** An answer from a person, with what they saw. */
export interface GivenAnswer {
  readonly id: string;
  readonly digest?: string | undefined;
  readonly answer: unknown;
}

/** The questions of all sessions in one list. */
export interface Inbox {
  list(): readonly InboxItem[];
  /** Answers one question. The first valid answer counts; the receipt says whether this one did. */
  answer(given: GivenAnswer, by: string): Receipt;
  /** The answer to a question that is over, if it had one. */
  ending(id: string): { readonly by: string; readonly behavior: Answer["behavior"] } | undefined;
  /** Gives one answer to several questions. @throws Problem 409 unless all of them ask for the same effects. */
  answerAll(given: readonly GivenAnswer[], answer: Answer, by: string): readonly Receipt[];
}

/** A form or a plan: its answer means more than its effects, so no other question is alike. */
const isOwnQuestion = ({ form, effects }: ApprovalRequest): boolean =>
  form !== undefined || effects.some((effect) => effect.do === "ask");

/** The starter of a session, for the sessions that no person has opened. */
export type OriginOf = (session: string) => InboxItem["from"];

/**
 * Opens the inbox over the sessions of the server and everything else that asks this user. `onAnswer`: an answer was
 * given through it to a session that is not open here.
 */
export function openInbox(rooms: Rooms, originOf: OriginOf, onAnswer: () => void): Inbox {
  const read: ReadFolders = new Map();
  const storedWith = (id: string): FoundApproval | undefined => rooms.state && approvalWith(rooms.state, id);
  const itemOf = (session: string, request: ApprovalRequest, cwd: string | undefined, waits: boolean): InboxItem => {
    const from = originOf(session);
    return {
      ...{ session, request, isWaiting: waits },
      ...(cwd === undefined || cwd === rooms.cwd ? {} : { folder: cwd }),
      ...(from ? { from } : {}),
      digest: digestOf(request),
      effectsKey: isOwnQuestion(request) ? request.id : JSON.stringify([cwd, request.destructive, request.effects]),
    };
  };

  const liveItems = ({ id, agent }: LiveSession): readonly InboxItem[] =>
    agent.haft.pending().map((request) => itemOf(id, request, agent.haft.cwd, true));

  function list(): readonly InboxItem[] {
    const live = rooms.open().flatMap(liveItems);
    const own = new Set(rooms.open().map(({ id }) => id));
    const known = new Set(live.map(({ request }) => request.id));
    const stored = rooms.state ? everyApproval(rooms.state, read, own) : [];
    const elsewhere = stored.flatMap(({ folder, record, cwd }) => {
      const { session, request, state } = record;
      const isKnown = known.has(request.id) || own.has(session);
      const isLeft = isStartQuestion(request) && !isWaiting(record);
      const isOver = state === "ended" || isLeft || isExpired(request) || hasAnswer(folder, request.id);
      return isKnown || isOver ? [] : [itemOf(session, request, cwd, isWaiting(record))];
    });
    return [...live, ...elsewhere];
  }

  function answer({ id, digest, answer }: GivenAnswer, by: string): Receipt {
    const session = rooms.open().find(({ agent }) => agent.haft.pending().some((request) => request.id === id));
    const item = (session ? liveItems(session) : list()).find(({ request }) => request.id === id);
    if (item && digest !== undefined && item.digest !== digest)
      throw new Problem(409, "conflict", "The question has changed since you saw it.", "Look at it again.");
    if (session) return session.agent.haft.answer(id, answer as Answer, by);
    const found = storedWith(id);
    if (found) {
      const receipt = answerRecord(found.folder, id, answer, by);
      onAnswer();
      return receipt;
    }
    // The session that asked knows best whether it is over.
    for (const { agent } of rooms.open()) {
      const receipt = agent.haft.answer(id, answer as Answer, by);
      if (receipt.accepted || receipt.reason !== "unknown_request") return receipt;
    }
    return { accepted: false, reason: "unknown_request", message: `There is no question "${id}".` };
  }

  return {
    list,
    answer,
    ending(id) {
      const found = storedWith(id);
      const given = found && (found.record.outcome ?? readAnswer(found.folder, id));
      if (typeof given !== "object" || !("answer" in given)) return undefined;
      return { by: given.by, behavior: (given.answer as Answer).behavior };
    },
    answerAll(given, shared, by) {
      const items = list();
      const keys = given.map(({ id }) => items.find(({ request }) => request.id === id)?.effectsKey);
      if (keys.some((key) => key === undefined))
        throw new Problem(409, "conflict", "Some of these questions have ended.", "Load the list again.");
      if (new Set(keys).size > 1)
        throw new Problem(409, "conflict", "These questions ask for different effects.", "Answer them one by one.");
      return given.map((one) => answer({ ...one, answer: shared }, by));
    },
  };
}
