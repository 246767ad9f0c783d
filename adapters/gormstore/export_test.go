package gormstore

import "context"

// FindDistribution is what Migrate learns of Citus, without migrating.
func (s *Store) FindDistribution(ctx context.Context) error {
	pool, err := s.Writer.DB()
	if err != nil || !s.IsPostgres() {
		return err
	}
	return s.findDistribution(ctx, pool)
}
