/** Models that a sample and the history hold; a server that lists more has the others counted. */
export const mostModels = 4096;
export const mostGpus = 64;
/** Of the whole history, with the objects around its buffers: more than all of those models fill in half an hour. */
export const mostHistoryBytes = 256 * 2 ** 20;
/** Triton's names are those of folders, which have at most 255 bytes; GPUs have 40 characters. */
export const longestName = 256;
/** Of one sample; a server that changes more at once has the others counted. */
export const mostSampleMarkers = 200;
export const longestMarkerText = 1000;
