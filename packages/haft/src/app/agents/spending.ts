import { fail } from "@haft/core/tool";
import type { Model } from "../../agent/index.ts";
import { listPrice, type Price } from "../../agent/provider/prices.ts";
import { meteredModel } from "./metered.ts";
import type { Pool } from "./pool.ts";

/** Tokens and money of a session, with those of its agents. */
export interface SessionSpending {
  readonly tokens: number;
  /** In US dollars. Absent where a model without a price was used. */
  readonly money?: number;
}

/** The budget of a session and its agents. */
export interface SessionBudget {
  /** A model whose requests are paid from it. @throws HaftError `invalid_input` where it limits money without a price. */
  metered(model: Model): Model;
  spent(): SessionSpending;
}

/** The prices of models, and whether everything spent so far had one. */
export interface Spending {
  /** @throws HaftError `invalid_input` where the pool limits money and nobody has said what the model costs. */
  requirePrice(pool: Pool, model: string): void;
  /** A model whose requests are paid from a pool, at the price of `name`. */
  paid(model: Model, pool: Pool, name?: string): Model;
  of(pool: Pool): SessionSpending;
}

/** Prices of the settings come before list prices. An unknown price stays unknown. */
export function createSpending(prices: Readonly<Record<string, Price>>): Spending {
  let isPriced = true;
  const priceOf = (model: string): Price | undefined =>
    Object.hasOwn(prices, model) ? prices[model] : listPrice(model);
  return {
    requirePrice(pool, model) {
      if (pool.isLimited("money") && !priceOf(model))
        fail(
          "invalid_input",
          `The price of ${model} is unknown, so a money budget cannot be enforced.`,
          "Set its price in the settings (toolAgent.prices), or leave out money.",
        );
    },
    paid(model, pool, name = model.name) {
      const price = priceOf(name);
      const metered = meteredModel(model, pool, price);
      return {
        ...metered,
        step(request) {
          if (!price) isPriced = false;
          return metered.step(request);
        },
      };
    },
    of: ({ spent }) => ({ tokens: spent.tokens, ...(isPriced ? { money: spent.money } : {}) }),
  };
}
