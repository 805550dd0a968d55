/** "localhost:8000" as "http://localhost:8000"; an address that names its scheme stays as it is. */
export function withScheme(address: string): string {
  const text = address.trim();
  return text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

/** An address as messages show it: what stands before an @, which may be a password, is left out. Pure. */
export const shownAddress = (address: string): string =>
  address.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
