import { CanvasPanel } from "../part/canvas-panel.tsx";
import { SessionHead } from "../part/session-head.tsx";

/** The canvas of a session, as large as the window. */
export function CanvasPage({ id }: { readonly id: string }) {
  return (
    <div class="page page-canvas">
      <SessionHead id={id} tab="canvas" />
      <CanvasPanel id={id} isWhole />
    </div>
  );
}
