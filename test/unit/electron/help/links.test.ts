import { expect, it } from 'vitest';
import { allowedLink } from '../../../../electron/help/links';

const homepage = 'https://workbench.example.com';

it.each([
  'https://docs.nvidia.com/deeplearning/triton-inference-server/',
  'https://github.com/triton-inference-server/server/issues',
  'https://catalog.ngc.nvidia.com/containers?a=b',
  'https://workbench.example.com/docs',
])('opens %s', (address) => {
  expect(allowedLink(address, homepage)).toBe(address);
});

it.each([
  'http://docs.nvidia.com/',
  'https://docs.nvidia.com.evil.example/',
  'https://docs.nvidia.com@evil.example/',
  'https://user:pass@docs.nvidia.com/',
  'https://docs.nvidia.com:8443/',
  'https://github.com/somebody/else',
  'https://github.com/triton-inference-server/../somebody/else',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'docs.nvidia.com',
  '',
])('does not open %s', (address) => {
  expect(allowedLink(address, homepage)).toBeNull();
});
