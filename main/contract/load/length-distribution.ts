import { z } from 'zod';

/** Lengths of the samples that a load sends: "32,128,512" (P50,P95,MAX), "64", "12 30 7", or "dataset". */
export const lengthsSchema = z
  .union([z.string(), z.int()])
  .transform(String)
  .pipe(
    z
      .string()
      .regex(
        /^(dataset|\d{1,7}(,\d{1,7}){2}|\d{1,7}( \d{1,7}){0,999})$/,
        'must be P50,P95,MAX such as 32,128,512, up to 1000 lengths with blanks between, or dataset',
      ),
  );
