import type { ProgramBenefit } from '@loyalty/sdk/admin';
import { Link } from 'wouter';
import { usePlace } from '../../session.ts';
import { Field } from '../../ui/field.tsx';
import { Empty } from '../../ui/states.tsx';
import { useEditing } from '../editing.ts';
import { anchorOf, ChoiceAt, LongTextAt, NumberAt, ProblemAt, SwitchAt, TextAt, useAt } from '../parts.tsx';
import { PictureAt } from '../picture-at.tsx';
import { PortalPicture } from '../portal-picture.tsx';
import { useProgramTexts } from '../texts.ts';
import { useCurrencySymbol } from '../pages/currency-symbol.ts';
import { addDays, instantOf, localTimeOf } from '../zone.ts';
import { useBenefitTexts } from './texts.ts';

const KINDS = ['normal', 'welcome', 'birthday', 'monthly_top', 'level'] as const;
const DISCOUNTS = ['free_product', 'percentage_discount', 'absolute_discount'] as const;

/** One benefit: what members read, what it gives, its price and its limits. */
export function BenefitForm({ id }: { id: string }) {
  const shared = useProgramTexts();
  const t = useBenefitTexts();
  const { path } = usePlace();
  const { program, change } = useEditing();
  const symbol = useCurrencySymbol(program.currency);
  const index = program.benefits.findIndex((one) => one.id === id);
  const benefit = program.benefits[index];
  if (benefit === undefined)
    return (
      <Empty
        isPage
        title={t.gone}
        act={
          <Link className="button main" href={path('program', 'benefits')}>
            {t.all}
          </Link>
        }
      />
    );
  const at = (field: string) => `benefits[${index}].${field}`;
  const label = (field: string) => ({ path: at(field), label: shared.labels[`benefits[].${field}`]! });
  // A product and a discount exclude each other, and only what is for sale has a price.
  const giveAt = (type: string) =>
    change(`benefits[${index}]`, {
      ...benefit,
      type: type as ProgramBenefit['type'],
      value: type === 'free_product' ? null : (benefit.value ?? 10),
      product: type === 'free_product' ? benefit.product : null,
    });
  const isForSale = benefit.benefit_type === 'normal';
  return (
    <div className="with-side">
      <div className="stack">
        <nav className="crumbs" aria-label={t.all}>
          <Link href={path('program', 'benefits')}>{shared.sections.benefits}</Link>
          <span aria-hidden="true">/</span>
          <span aria-current="page">{benefit.title}</span>
        </nav>
        <h1>{benefit.title}</h1>
        <section className="card inside form">
          <h2>{t.words}</h2>
          <TextAt {...label('title')} autoComplete="off" />
          <LongTextAt {...label('description')} />
          <PictureAt {...label('image')} />
          <TextAt {...label('color')} spellCheck={false} autoComplete="off" />
        </section>
        <section className="card inside form">
          <h2>{t.gives}</h2>
          <div className="field-pair">
            <div className="field" id={anchorOf(at('type'))}>
              <label htmlFor="benefit-type">{shared.labels['benefits[].type']}</label>
              <select
                id="benefit-type"
                className="input"
                value={benefit.type}
                onChange={(event) => giveAt(event.currentTarget.value)}
              >
                {DISCOUNTS.map((one) => (
                  <option key={one} value={one}>
                    {shared.discountKinds[one]}
                  </option>
                ))}
              </select>
            </div>
            {benefit.type === 'free_product' ? (
              <ProductAt path={at('product')} />
            ) : (
              <NumberAt
                path={at('value')}
                label={benefit.type === 'percentage_discount' ? t.percent : t.money}
                {...(benefit.type === 'percentage_discount' ? { after: '%' } : { before: symbol })}
              />
            )}
          </div>
          <ChoiceAt
            {...label('benefit_type')}
            hint={t.kindHint}
            options={KINDS.map((one) => [one, shared.benefitKinds[one]])}
          />
        </section>
        <section className="card inside form">
          <h2>{t.price}</h2>
          <div className="field-pair">
            {isForSale && <NumberAt {...label('cost')} />}
            <NumberAt {...label('buy_limit')} hint={t.limitHint} />
            <NumberAt {...label('valid_days')} hint={t.validHint} after={t.days} />
            <LastDayAt path={at('expiration')} />
          </div>
          <SwitchAt {...label('on_sale')} hint={t.onSaleHint} />
        </section>
        <p className="small">{t.id(benefit.id)}</p>
        {benefit.shop_coupon !== null && (
          <p className="small">
            {t.coupon} <Link href={path('program', 'file')}>{shared.sections.file}</Link>
          </p>
        )}
        <ProblemAt path={`benefits[${index}]`} />
      </div>
      <PortalPicture shown={benefit.id} />
    </div>
  );
}

/** The product of a free product. Without a name there is none. */
function ProductAt({ path }: { path: string }) {
  const t = useBenefitTexts();
  const { value, set } = useAt(path);
  const product = value as ProgramBenefit['product'];
  return (
    <Field
      label={t.product}
      hint={t.productHint}
      maxLength={200}
      autoComplete="off"
      value={product?.name ?? ''}
      onChange={({ currentTarget: { value: name } }) => {
        const next = { id: null, external_id: null, ...product, name: name === '' ? null : name };
        set(Object.values(next).every((one) => one === null) ? null : next);
      }}
    />
  );
}

/** The last day is a day to people and, in the program, the instant at which it ends. */
function LastDayAt({ path }: { path: string }) {
  const t = useBenefitTexts();
  const { program } = useEditing();
  const { value, set } = useAt(path);
  const zone = program.time_zone;
  // The end of a day is the beginning of the next; an instant within a day counts as that day.
  const last =
    typeof value === 'string'
      ? localTimeOf(new Date(Date.parse(value) - 1).toISOString(), zone).slice(0, 10)
      : '';
  return (
    <div id={anchorOf(path)}>
      <Field
        label={t.lastDay}
        hint={t.lastDayHint}
        type="date"
        value={last}
        onChange={({ currentTarget: { value: day } }) =>
          set(day === '' ? null : instantOf(`${addDays(day, 1)}T00:00`, zone))
        }
      />
      <ProblemAt path={path} />
    </div>
  );
}
