/** Models that a sample and the history hold; a server that lists more has the others counted. */
export const mostModels = 4096;
export const mostGpus = 64;
/** Of the whole history, with the objects around its buffers: more than 1,000 busy models fill in half an hour. */
export const mostHistoryBytes = 128 * 2 ** 20;
/** Triton's names are those of folders, which have at most 255 bytes; GPUs have 40 characters. */
export const longestName = 256;
/** Of one sample; a server that changes more at once has the others counted. */
export const mostSampleMarkers = 200;
export const longestMarkerText = 1000;
/** Why a second or a model has no figures: a server's own words. */
export const longestReason = 1000;
/** Of all models of a sample together; each has its first words also beyond. */
export const mostReasonCharacters = 256 * 1024;
/** Of what the monitor makes nothing of; a foreign server may have thousands. */
export const mostOthers = 400;
/** Alerts that are kept; thousands of models that fail at once say nothing more than the first of them. */
export const mostAlerts = 1000;
export const longestAlertText = 300;
