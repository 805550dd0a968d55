/** Logs say how a step went and decide nothing; a resumed attempt appends to them. */
export const isVouched = (path: string): boolean => path !== 'step.log';
