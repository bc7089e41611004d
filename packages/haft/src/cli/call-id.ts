/** Assigns ids to calls without one: `c1`, `c2` ... No id is used twice. */
export interface CallIds {
  /** Claims an id. Returns `false` if it was used before. */
  take(id: string): boolean;
  next(): string;
}

export function callIds(used: Set<string> = new Set()): CallIds {
  let count = 0;
  return {
    take(id) {
      if (used.has(id)) return false;
      used.add(id);
      return true;
    },
    next() {
      do count++;
      while (used.has(`c${count}`));
      used.add(`c${count}`);
      return `c${count}`;
    },
  };
}
