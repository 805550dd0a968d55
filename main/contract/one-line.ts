/** Control characters as part of a character class, in the syntax that ECMAScript and Python share. */
export const controls = String.raw`\u0000-\u001f\u007f-\u009f`;

/** Text without control characters. */
export const oneLine = new RegExp(`^[^${controls}]+$`, 'u');
