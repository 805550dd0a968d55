import { LinkButton } from '../../../components/links';
import { pageOf, pageTitle, wizardPages } from '../../../stores/draft/wizard-page';
import { pathOf } from '../fields/field';
import { useGoToField } from '../form-view';
import { isAbout } from '../problems';
import { useWizard } from '../wizard-context';

/** In place of config.pbtxt while the choice has problems: leads to the pages that have them. */
export function NoConfigYet() {
  const { draft, fields } = useWizard();
  const goToField = useGoToField();
  const hard = (draft.preview?.problems ?? []).filter(({ severity }) => severity === 'problem');
  const pages = wizardPages.filter((page) => hard.some(({ field }) => pageOf(field) === page));
  const isElsewhere = pages.some((page) => page !== 'configure');
  const places = pages.map((page, at) => {
    const first = hard.find(({ field }) => pageOf(field) === page);
    const field = first === undefined ? undefined : fields.find((known) => isAbout(first, pathOf(known)));
    return (
      <span key={page}>
        {at === 0 ? '' : ', '}
        {page === 'configure' ? (
          `${pageTitle[page]} (this page)`
        ) : (
          <LinkButton
            onClick={() => {
              goToField(field === undefined ? null : pathOf(field), page);
            }}
          >
            {pageTitle[page]}
          </LinkButton>
        )}
      </span>
    );
  });
  return (
    <p className="panel-body dim">
      No config.pbtxt yet.{' '}
      {isElsewhere ? (
        <>Fix the problems on {pages.length === 1 ? <>the {places} page</> : <>the pages {places}</>}.</>
      ) : (
        'Fix the problems shown in the form.'
      )}
    </p>
  );
}
