import { type AgentBudget, HaftError, type ToolError } from "@haft/core/tool";

/** The kinds of budget. */
export type Means = keyof AgentBudget;

const MEANS: readonly Means[] = ["calls", "tokens", "spawns", "money"];
const WORDS: Readonly<Record<Means, string>> = {
  ...{ calls: "few calls", tokens: "few tokens", spawns: "few agents", money: "little money" },
};

/**
 * An agent's budget, inside its parent's. Every amount is taken from the whole line of pools at once, so a tree of agents
 * never spends more than its root has.
 */
export class Pool {
  readonly spent: Record<Means, number> = { calls: 0, tokens: 0, spawns: 0, money: 0 };
  readonly #reserved: Record<Means, number> = { calls: 0, tokens: 0, spawns: 0, money: 0 };
  /** Open reservations. Counted, because fractional sums of money would not return to exactly 0. */
  #holders = 0;
  #limits: AgentBudget;
  readonly #owner: string;
  readonly #parent: Pool | undefined;
  readonly #freed: Set<() => void>;

  constructor(owner: string, limits: AgentBudget = {}, parent?: Pool) {
    this.#owner = owner;
    this.#limits = limits;
    this.#parent = parent;
    this.#freed = parent ? parent.#freed : new Set();
  }

  /** Adds limits; the smaller ones count. */
  tighten(limits: AgentBudget): void {
    this.#limits = tighter(this.#limits, limits);
  }

  /** Takes from all pools of the line or from none; the error then says what is missing. */
  take(means: Means, amount = 1): ToolError | undefined {
    const short = this.shortage(means, amount);
    if (!short) this.charge(means, amount);
    return short;
  }

  /** The error for a missing amount. Amounts reserved by others count as spent. */
  shortage(means: Means, amount: number): ToolError | undefined {
    const poor = this.#line().find((pool) => pool.#left(means) < amount);
    return poor ? poor.#missing(means, amount) : undefined;
  }

  /** The amount left after reservations, in the poorest pool of the line. `Infinity`: no limit. */
  left(means: Means): number {
    return Math.min(...this.#line().map((pool) => pool.#left(means)));
  }

  /** The rest of each kind that is limited. */
  rest(): AgentBudget {
    return Object.fromEntries(MEANS.flatMap((means) => (this.isLimited(means) ? [[means, this.left(means)]] : [])));
  }

  /** Whether a reservation is open, so that part of it may come back. */
  isReserved(): boolean {
    return this.#line().some((pool) => pool.#holders > 0);
  }

  /** Whether any pool of the line limits this kind. */
  isLimited(means: Means): boolean {
    return this.#line().some((pool) => pool.#limits[means] !== undefined);
  }

  /** Reserves an amount until the returned function reports how much of it was spent. */
  reserve(means: Means, amount: number): (spent: number) => void {
    const holds = amount > 0 ? 1 : 0;
    for (const pool of this.#line()) {
      pool.#reserved[means] += amount;
      pool.#holders += holds;
    }
    let isOpen = true;
    return (spent) => {
      if (!isOpen) return;
      isOpen = false;
      for (const pool of this.#line()) {
        pool.#reserved[means] -= amount;
        pool.#holders -= holds;
      }
      this.charge(means, spent);
      for (const wake of [...this.#freed]) wake();
    };
  }

  /** Resolves when a reservation has been settled. */
  settled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#freed.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#freed.add(wake);
      signal.addEventListener("abort", wake, { once: true });
      if (signal.aborted) wake();
    });
  }

  charge(means: Means, amount: number): void {
    for (const pool of this.#line()) pool.spent[means] += amount;
  }

  #left(means: Means): number {
    return (this.#limits[means] ?? Number.POSITIVE_INFINITY) - this.spent[means] - this.#reserved[means];
  }

  #missing(means: Means, amount: number): ToolError {
    const limit = this.#limits[means] ?? 0;
    const used = limit === 0 ? "none is allowed" : `${this.spent[means]} of ${limit} are spent`;
    return {
      code: "limit_reached",
      message: `The budget of ${this.#owner} has too ${WORDS[means]} left: ${used}, ${amount} more would be needed. Nothing was done.`,
      advice: "Answer with what you have, and say what is missing.",
      details: { budget: means },
    };
  }

  #line(): readonly Pool[] {
    return this.#parent ? [this, ...this.#parent.#line()] : [this];
  }
}

/** The problem with an invalid budget: a value that is negative or not a number. */
export function budgetProblem(budget: AgentBudget): string | undefined {
  const wrong = MEANS.find((means) => budget[means] !== undefined && !(budget[means]! >= 0));
  return wrong && `${wrong} must be a number from 0.`;
}

/** The smaller of two budgets, kind by kind. */
export const tighter = (a: AgentBudget, b: AgentBudget): AgentBudget =>
  Object.fromEntries(
    MEANS.flatMap((means) => {
      const values = [a[means], b[means]].filter((value) => value !== undefined);
      return values.length === 0 ? [] : [[means, Math.min(...values)]];
    }),
  );

export const limitError = (error: ToolError): HaftError => new HaftError(error);
