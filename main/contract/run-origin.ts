/**
 * `own`: created in this workbench home. `foreign`: created elsewhere, or by a version that sealed no runs; it can be
 * read, compared and reported, and runs nothing. `trusted`: foreign, and somebody trusted its content here.
 */
export const runOrigins = ['own', 'foreign', 'trusted'] as const;
export type RunOrigin = (typeof runOrigins)[number];

/** A mark for lists; null for a run of this home. */
export const originMark: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign: 'from elsewhere',
  trusted: 'from elsewhere, trusted',
};

/** A sentence for the page of a run; null where nothing has to be said. */
export const originText: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign:
    'This run was not created in this workbench home. You can read, compare and export it. To continue it, trust its files first: they are executed.',
  trusted: 'This run was not created in this workbench home. Its files were trusted here.',
};
