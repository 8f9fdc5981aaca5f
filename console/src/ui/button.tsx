import type { ComponentProps, ReactNode } from 'react';

/** A button. There is one `main` button per card or page. While it is `busy`, presses do nothing and focus stays on it. */
export function Button({
  look = '',
  busy = false,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & {
  /** `main`, `big`, `danger` and `icon-only`, in any combination. */
  look?: string;
  busy?: boolean;
  children?: ReactNode;
}) {
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- it has one, by default `button`
      type={type}
      className={`button ${look} ${className}`.trim()}
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    />
  );
}

/** A button that looks like a link, for small acts in rows. */
export function TextButton({ danger = false, ...rest }: ComponentProps<'button'> & { danger?: boolean }) {
  return <button type="button" {...rest} className={`text-button ${danger ? 'danger' : ''}`.trim()} />;
}
