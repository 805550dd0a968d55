// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPbtxtView } from '../../../../../../renderer/views/new-deployment/editor/pbtxt-view';

let view: ReturnType<typeof createPbtxtView>;

beforeEach(() => {
  view = createPbtxtView(document.body, 'name: "m"\nbackend: "onnxruntime"\n', () => ({
    onChange: () => undefined,
    onLeave: () => undefined,
  }));
});
afterEach(() => {
  view.destroy();
});

/** Whether the editor takes the key for itself. */
function takes(init: KeyboardEventInit): boolean {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  view.contentDOM.dispatchEvent(event);
  return event.defaultPrevented;
}

it('leaves the keys of the wizard to the wizard', () => {
  const before = view.state.doc.toString();
  expect(takes({ key: 'Enter', ctrlKey: true })).toBe(false);
  expect(takes({ key: 'ArrowLeft', altKey: true })).toBe(false);
  expect(takes({ key: 'ArrowRight', altKey: true })).toBe(false);
  expect(view.state.doc.toString()).toBe(before);
});

it('keeps the other keys of an editor', () => {
  expect(takes({ key: 'Enter' })).toBe(true);
  expect(takes({ key: 'ArrowUp', altKey: true })).toBe(true);
});
