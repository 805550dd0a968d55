import { describe, expect, it } from 'vitest';
import { isTrustedFrame } from '../../../electron/origin';

describe('the sender of a call', () => {
  it('is trusted as the top frame of the app', () => {
    expect(isTrustedFrame({ url: 'app://workbench/', parent: null })).toBe(true);
    expect(isTrustedFrame({ url: 'app://workbench/index.html#runs', parent: null })).toBe(true);
  });

  it.each([
    ['a frame inside the page', { url: 'app://workbench/', parent: {} }],
    ['a frame that is gone', null],
    ['about:blank', { url: 'about:blank', parent: null }],
    ['a web page', { url: 'https://workbench/', parent: null }],
    ['a file', { url: 'file:///app/workbench/index.html', parent: null }],
    ['another host', { url: 'app://workbench.evil/', parent: null }],
    ['a host with a user', { url: 'app://workbench@evil/', parent: null }],
    ['another port', { url: 'app://workbench:8080/', parent: null }],
    ['no address', { url: '', parent: null }],
  ])('is not trusted: %s', (_name, frame) => {
    expect(isTrustedFrame(frame)).toBe(false);
  });
});
