/** The libraries of the terminal UI, in a file of their own: their modules wait while they load, and a script cannot. */
export { Box, render, Static, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from "ink";
export { createElement, Fragment, useEffect, useSyncExternalStore } from "react";
