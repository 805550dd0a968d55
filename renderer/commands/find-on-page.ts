/** Puts the cursor into the last search field of the page that can be seen: a log's before the list's. */
export function findOnPage(): void {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-find]')];
  const field = fields.findLast((one) => one.offsetParent !== null);
  const input = field instanceof HTMLInputElement ? field : field?.querySelector('input');
  input?.focus();
  input?.select();
}
