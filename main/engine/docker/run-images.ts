import type { BuiltImage } from '../../contract/docker';
import type { DockerEngineSpec, Format, Framework } from '../../contract/run/run-spec';
import { imageFamily } from '../../contract/run/serving';
import { readImageRecipe } from '../../docker/images/image-recipe';
import type { ImageRequest } from '../../docker/images/prepare-image';
import { formatOf } from '../../formats/formats';
import { compareVersions, defaultRelease, ngcRegistry } from '../../machine/releases';

/** Where the images of a run that names none are from. */
export interface ImageSource {
  /** `resources` of the product. */
  readonly resources: string;
  /** NVIDIA's images, or a mirror of them. */
  readonly registry: string;
}

/** NVIDIA's images of a release: server, client tools and framework. */
function ngcImages(
  release: string,
  registry: string,
): {
  readonly triton: string;
  readonly sdk: string;
  readonly pytorch: string;
} {
  return {
    triton: `${registry}/tritonserver:${release}-py3`,
    sdk: `${registry}/tritonserver:${release}-py3-sdk`,
    pytorch: `${registry}/pytorch:${release}-py3`,
  };
}

/** The release where nobody names one and nothing is known of the machine. */
export function usualRelease(format: Format, newest: string = defaultRelease): string {
  const { oldestNgcRelease: first = newest, newestNgcRelease: last = newest } = formatOf(format);
  if (compareVersions(first, newest) > 0) return first;
  return compareVersions(last, newest) < 0 ? last : newest;
}

/** The images that a built one is built from; those for the CPU name theirs themselves. */
export function buildArgsOf(
  image: BuiltImage,
  release: string = defaultRelease,
  registry: string = ngcRegistry,
): Readonly<Record<string, string>> {
  if (image !== 'client-gpu') return {};
  const { pytorch, sdk } = ngcImages(release, registry);
  return { PYTORCH_IMAGE: pytorch, SDK_IMAGE: sdk };
}

/** What an image for TensorFlow has beside the rest; the others stay the very images that they are. */
const frameworkArgs = (framework: Framework | undefined): Readonly<Record<string, string>> =>
  framework === 'tf' ? { FRAMEWORK: 'tf' } : {};

/** The two images of a run, for its model. */
export async function wantedImages(
  engine: DockerEngineSpec,
  { resources, registry }: ImageSource,
  model: { readonly framework: Framework; readonly format: Format } = { framework: 'pyt', format: 'onnx' },
): Promise<Readonly<Record<ImageRequest['role'], ImageRequest>>> {
  const release = engine.release ?? usualRelease(model.format);
  const ngc = imageFamily(engine) === 'ngc' ? ngcImages(release, registry) : null;
  const given = (role: ImageRequest['role'], reference: string): ImageRequest => ({
    role,
    reference,
    recipe: null,
  });
  const built = async (
    role: ImageRequest['role'],
    ...[image, args]: [Parameters<typeof readImageRecipe>[1], Readonly<Record<string, string>>?]
  ): Promise<ImageRequest> => {
    const recipe = await readImageRecipe(resources, image, args);
    return { role, reference: recipe.reference, recipe };
  };
  const { tritonImage, clientImage } = engine;
  const triton =
    tritonImage === undefined
      ? ngc === null
        ? await built('triton', 'triton-cpu', frameworkArgs(formatOf(model.format).shimFramework))
        : given('triton', ngc.triton)
      : given('triton', tritonImage);
  const client =
    clientImage === undefined
      ? ngc === null
        ? await built('client', 'client-cpu', frameworkArgs(model.framework))
        : await built('client', 'client-gpu', {
            ...buildArgsOf('client-gpu', release, registry),
            ...frameworkArgs(model.framework),
          })
      : given('client', clientImage);
  return { triton, client };
}

/** What the images of a run are called in the keys of its steps. */
export const imageNamesOf = ({
  triton,
  client,
}: Awaited<ReturnType<typeof wantedImages>>): readonly string[] => [triton.reference, client.reference];
