import type { ReactNode } from 'react';

/** The head of a page of Program. */
export function SectionHead({
  title,
  children,
  act,
}: {
  title: string;
  children?: ReactNode;
  act?: ReactNode;
}) {
  return (
    <div className="page-head">
      <div className="words">
        <h1>{title}</h1>
        {children !== undefined && <p className="small">{children}</p>}
      </div>
      {act}
    </div>
  );
}
