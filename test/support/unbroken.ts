/** A page of a report without the marks that keep a number and its unit on one line. */
export const withoutMarks = (page: string): string =>
  page.replaceAll(/<span class="unbroken">([^<]*)<\/span>/g, '$1');
