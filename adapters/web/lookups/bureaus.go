package lookups

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
)

// bureausPage is the page about the bureaus of the instance.
type bureausPage struct {
	lookups.BureauList
	// Compared is how answers agree.
	Compared []lookups.Compared
}

// Chains are the orders of the products that several bureaus offer.
func (p bureausPage) Chains() []lookups.BureauOrder {
	return slices.DeleteFunc(slices.Clone(p.Orders), func(o lookups.BureauOrder) bool {
		return len(o.Asked)+len(o.Left) < 2
	})
}

// Within words the time that some calls took at most.
func (bureausPage) Within(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", (d + time.Millisecond - 1).Milliseconds())
	}
	return strings.Replace(fmt.Sprintf("%.1f s", d.Seconds()), ".", ",", 1)
}

func (s pages) bureauList(c *web.Call) error {
	if err := c.Manager(); err != nil {
		return err
	}
	list, err := s.Bureaus.List(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	compared, err := s.Bureaus.Compared(c.Ctx(), c.By, "")
	if err != nil {
		return err
	}
	return c.Render("bureaus", web.Page{
		Title: "Bureaus", Nav: "configuracoes", Setting: "bureaus", Data: bureausPage{list, compared}, Wide: true,
	})
}

// bureauFields name a bureau and, where it matters, a product.
type bureauFields struct {
	Bureau  string `form:"bureau"`
	Product string `form:"produto"`
}

// bureauRaise lets a bureau be asked about a product one place earlier; one that is not asked, at the end.
func (s pages) bureauRaise(c *web.Call, f bureauFields) error {
	list, err := s.Bureaus.List(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	var order []string
	if i := slices.IndexFunc(list.Orders, func(o lookups.BureauOrder) bool { return o.Product.ID == f.Product }); i >= 0 {
		order = list.Orders[i].Asked
	}
	switch i := slices.Index(order, f.Bureau); {
	case i < 0:
		order = append(order, f.Bureau)
	case i > 0:
		order[i-1], order[i] = order[i], order[i-1]
	}
	if err := s.Bureaus.SetOrder(c.Ctx(), c.By, f.Product, order); err != nil {
		return err
	}
	return c.Done("/bureaus", "Ordem guardada. Vale em segundos.")
}

func (s pages) bureauReset(c *web.Call, f bureauFields) error {
	if err := s.Bureaus.SetOrder(c.Ctx(), c.By, f.Product, nil); err != nil {
		return err
	}
	return c.Done("/bureaus", "A ordem é de novo a da configuração.")
}

func (s pages) bureauOut(c *web.Call, f struct {
	bureauFields
	// Hours is how long it is out; 0 for until somebody calls it back.
	Hours int `form:"horas" validate:"min=0,max=8760" says:"Escolha por quanto tempo o bureau fica fora."`
}) error {
	while := time.Duration(f.Hours) * time.Hour
	if err := s.Bureaus.TakeOut(c.Ctx(), c.By, f.Bureau, while); err != nil {
		return err
	}
	until := "alguém o chamar de volta"
	if while > 0 {
		until = s.Datetime(s.Clock().Add(while))
	}
	return c.Done("/bureaus", f.Bureau+" está fora. Nada é perguntado a ele até "+until+".")
}

func (s pages) bureauBack(c *web.Call, f bureauFields) error {
	if _, err := s.Bureaus.Back(c.Ctx(), c.By, f.Bureau); err != nil {
		return err
	}
	return c.Done("/bureaus", f.Bureau+" está de volta.")
}
