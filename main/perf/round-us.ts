/** To nanoseconds: what lies below is noise of the floating point. */
export const roundUs = (us: number): number => Math.round(us * 1000) / 1000;
