import fc from "fast-check";

/**
 * On a CI machine the property tests repeat the same cases, so that a change and not chance decides whether it passes.
 * Everywhere else each run explores new ones; a failure prints the seed that repeats it.
 */
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
